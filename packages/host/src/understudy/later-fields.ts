import { asksForTrouble } from './facts.ts';
import { type Field, textRequestOf } from './field.ts';

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
