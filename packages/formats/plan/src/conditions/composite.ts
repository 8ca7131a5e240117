import type { ConditionFields, InnerCondition } from './fields.ts';

/** The terms of a condition that combines others. */
export interface Composite {
  readonly conditions: readonly InnerCondition[];
}

/** Reads the nested conditions; undefined when any of them is malformed. */
export function readComposite(fields: ConditionFields): Composite | undefined {
  if (fields.isTooDeep()) return undefined;
  const written = fields.list('conditions', 'condition');
  const conditions = written && fields.inner(written);
  return conditions && { conditions };
}

/** The nested conditions in words, joined by a word. */
export function joined(
  { conditions }: Composite,
  word: string,
  inWords: (inner: InnerCondition) => string,
): string {
  return conditions
    .map((inner) => ('conditions' in inner ? `(${inWords(inner)})` : inWords(inner)))
    .join(word);
}
