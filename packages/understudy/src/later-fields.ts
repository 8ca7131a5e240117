import type { Json } from '@dramaturg/compiler';
import { asksForTrouble } from './facts.ts';
import { type Field, textRequestOf } from './field.ts';
import { valueInWords } from './saying/summary.ts';

/**
 * The fields whose question comes later and for which a message may be read already: those that nothing wanted now could be
 * confused with. What is not read is asked for.
 *
 * @param now the fields that the flow wants now
 */
export function laterFields(fields: readonly Field[], now: readonly Field[]): Field[] {
  return fields.filter(
    (field) => field.isLater && !asksForTrouble(field) && !now.some((each) => isRival(each, field)),
  );
}

/** A number of a text is the value of one field: "invoice 99 is wrong" gives no amount. */
export function withoutTakenNumbers(
  facts: ReadonlyMap<Field, Json>,
  others: ReadonlyMap<Field, Json>,
): Map<Field, Json> {
  const all = [...facts, ...others];
  const isTaken = (field: Field, value: Json) =>
    all.some(([other, taken]) => other !== field && valueInWords(taken) === valueInWords(value));
  return new Map(
    [...facts].filter(([field, value]) => field.kind.kind !== 'number' || !isTaken(field, value)),
  );
}

/** Whether the same words of a message could be a value of both. */
function isRival(now: Field, later: Field): boolean {
  const { kind } = now;
  if (kind.kind !== later.kind.kind) return false;
  if ('options' in kind && 'options' in later.kind) {
    const names = new Set(later.kind.options.map((option) => String(option).toLowerCase()));
    return kind.options.some((option) => names.has(String(option).toLowerCase()));
  }
  if (kind.kind === 'number') {
    const names = new Set(later.words.map(({ singular }) => singular));
    return now.words.some(({ singular }) => names.has(singular));
  }
  // An account number is read only next to a word of its name.
  const wanted = textRequestOf(later).kind;
  return wanted !== 'identifier' && wanted === textRequestOf(now).kind;
}
