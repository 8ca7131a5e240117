import type { Json } from '@dramaturg/compiler';
import { factsIn } from './facts.ts';
import type { Field } from './field.ts';
import { valueInWords } from './saying/summary.ts';
import { accepts } from './schema.ts';

const lead = 'You mentioned';

/** What the person said about a field before the question for it came. */
interface Suggestion {
  readonly value: Json;
  /** Asks the person to confirm the value. */
  readonly text: string;
}

/** The latest value of a field that earlier lines state plainly. */
export function suggestionFor(field: Field, lines: readonly string[]): Suggestion | undefined {
  if (field.kind.kind === 'yes-no' || field.kind.kind === 'unreadable') return undefined;
  for (const line of lines.toReversed()) {
    const value = factsIn(line, [field], false).get(field);
    if (value === undefined || Array.isArray(value) || !accepts(field.schema, value)) continue;
    const said = valueInWords(value);
    if (said.length <= 200) return { value, text: `${lead} "${said}": is that right?` };
  }
  return undefined;
}

/** Whether a line asks the person to confirm a value. */
export function suggests(line: string): boolean {
  return line.includes(`${lead} "`) && line.includes('": is that right?');
}
