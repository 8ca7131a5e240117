import { isRecord, type Path } from '@dramaturg/compiler';
import { connectives } from './definition/choice-rule.ts';

/** An authored object and its path. */
export interface Part {
  readonly value: Readonly<Record<string, unknown>>;
  readonly at: Path;
}

/** What was read, with what was authored. */
interface Authored {
  readonly authored: Part['value'];
  readonly at: Path;
}

export function partOf({ value, at }: Part, field: string): Part | undefined {
  const part = value[field];
  return isRecord(part) ? { value: part, at: [...at, field] } : undefined;
}

/** The objects of an authored list. Reading reports a list that is too long, and the rest is ignored. */
export function partsOf({ value, at }: Part, field: string): readonly Part[] {
  const list = value[field];
  if (!Array.isArray(list)) return [];
  return list
    .slice(0, longestList)
    .flatMap((item: unknown, index) =>
      isRecord(item) ? [{ value: item, at: [...at, field, index] }] : [],
    );
}

const longestList = 1_000;

export function authoredPart({ authored, at }: Authored): Part {
  return { value: authored, at };
}

/** A choice rule and every condition in it, outer conditions first. */
export function conditionsOf(rule: Part): readonly Part[] {
  const conditions = [rule];
  for (const condition of conditions) {
    for (const connective of connectives) {
      const one = partOf(condition, connective);
      if (one) conditions.push(one);
      for (const child of partsOf(condition, connective)) conditions.push(child);
    }
  }
  return conditions;
}

/** The targets that the fields of a state name, even fields that its type does not have. */
export function targetsOf(state: Authored): readonly { target: string; path: Path }[] {
  const part = authoredPart(state);
  const named = ({ value, at }: Part, field: string) =>
    typeof value[field] === 'string' ? [{ target: value[field], path: [...at, field] }] : [];
  return [
    ...named(part, 'Next'),
    ...named(part, 'Default'),
    ...partsOf(part, 'Choices').flatMap((rule) => named(rule, 'Next')),
    ...partsOf(part, 'Catch').flatMap((catcher) => named(catcher, 'Next')),
  ];
}

/**
 * The fields at a path of names, as many as exist: `*` matches every field of an object, `[]` every object of a list.
 */
export function fieldsAt(part: Part, path: string): readonly { owner: Part; field: string }[] {
  const steps = path.split('.');
  const field = steps.pop()!;
  return partsAt(part, steps)
    .filter(({ value }) => Object.hasOwn(value, field))
    .map((owner) => ({ owner, field }));
}

/** The objects at a path of names. */
export function blocksAt(part: Part, path: string): readonly Part[] {
  return partsAt(part, path.split('.'));
}

function partsAt(part: Part, [step, ...rest]: readonly string[]): readonly Part[] {
  if (step === undefined) return [part];
  if (step === '*') {
    const names = Object.keys(part.value).slice(0, longestList);
    return names.flatMap((name) => {
      const inner = partOf(part, name);
      return inner ? partsAt(inner, rest) : [];
    });
  }
  const inner =
    rest[0] === '[]'
      ? partsOf(part, step)
      : [partOf(part, step)].filter((one) => one !== undefined);
  return inner.flatMap((one) => partsAt(one, rest[0] === '[]' ? rest.slice(1) : rest));
}
