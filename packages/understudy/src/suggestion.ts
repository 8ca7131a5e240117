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

/**
 * The value that the flow wants confirmed, else the latest value of a field that earlier lines state plainly. A question that
 * is answered with yes or no is put as it is.
 */
export function suggestionFor(
  field: Field,
  lines: readonly string[],
  unconfirmed?: Json,
): Suggestion | undefined {
  if (field.kind.kind === 'yes-no' || field.kind.kind === 'unreadable') return undefined;
  const suggestion = unconfirmed === undefined ? undefined : suggest(field, unconfirmed);
  if (suggestion !== undefined) return suggestion;
  for (const line of lines.toReversed()) {
    const value = factsIn(line, [field], false).get(field);
    const found = value === undefined ? undefined : suggest(field, value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function suggest(field: Field, value: Json): Suggestion | undefined {
  if (Array.isArray(value) || !accepts(field.schema, value)) return undefined;
  const said = valueInWords(value);
  return said.length <= 200 ? { value, text: `${lead} "${said}": is that right?` } : undefined;
}

/** Whether a line asks the person to confirm a value. */
export function suggests(line: string): boolean {
  return line.includes(`${lead} "`) && line.includes('": is that right?');
}
