import { isRecord } from '@dramaturg/compiler';
import type { Recognition } from '@dramaturg/compiler/format';
import { kindOf } from './vocabulary.ts';

/** Judges by shape whether a value is a lifecycle: states with kinds, and a table of transitions. */
export function recognise(value: unknown): Recognition {
  if (!isRecord(value)) return { matches: false, because: 'it is not an object' };
  const signs: string[] = [];
  if (value['format'] === 'lifecycle') signs.push('"format": "lifecycle"');
  const states = value['states'];
  if (isListOfTexts(value['terminal']) && states !== undefined)
    signs.push('the list of "terminal" states');
  if (isRecord(states) && Object.values(states).some(hasKind))
    signs.push('the kinds of its states');
  if (isMapOfRows(value['transitions'])) signs.push('the events of its "transitions"');
  if (isListOfRows(value['transitions']) || isListOfRows(value['rows']))
    signs.push('the "from", "event" and "to" of its rows');
  return signs.length > 0
    ? { matches: true, signs }
    : {
        matches: false,
        because: 'its states have no kinds, and it has no rows with "from", "event" and "to"',
      };
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
}

function hasKind(state: unknown): boolean {
  const kind = isRecord(state) ? state['kind'] : state;
  return typeof kind === 'string' && kindOf(kind) !== undefined;
}

/** Whether the value is a map from states to events to states. */
function isMapOfRows(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const events = Object.values(value).filter(isRecord);
  return events.some((cells) =>
    Object.values(cells).some((cell) => typeof cell === 'string' || cell === null),
  );
}

function isListOfRows(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.some(
      (row) =>
        isRecord(row) &&
        Object.hasOwn(row, 'from') &&
        (hasText(row, 'to') || hasText(row, 'event')),
    )
  );
}

function hasText(row: Record<string, unknown>, field: string): boolean {
  return typeof row[field] === 'string';
}
