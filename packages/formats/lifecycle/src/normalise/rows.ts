import { isRecord, type Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import {
  type DocumentLocation,
  type From,
  type GuardUse,
  isRowsUnderKeys,
  type Row,
  rowFields,
  type Scalar,
  type Target,
} from '../definition.ts';
import { longestRow, mostRows } from '../limits.ts';
import { error, info, misread } from '../problems.ts';
import { optionalText, record, textsOf, tooMany, usesOf } from './fields.ts';

/** The input for reading rows: the names of the states, and the report of findings. */
interface Reading {
  readonly states: ReadonlySet<string>;
  readonly report: Report;
}

/** A row before its layout adds the state and the event that the keys of a map name. */
interface Written {
  readonly fields: Record<string, unknown>;
  readonly from: From | undefined;
  readonly events: readonly { readonly name: string; readonly at: DocumentLocation }[];
  readonly at: Path;
  readonly toAt: Path;
}

/**
 * Rows in either layout: a list of rows with `from` and `to`, or a map from states to events to targets.
 *
 * @param states the names of the states: a row from any of them may have to be written into each
 */
export function readRows(
  root: Record<string, unknown>,
  states: ReadonlySet<string>,
  report: Report,
): Row[] {
  const written = (['transitions', 'rows'] as const).flatMap((field) =>
    isRecord(root[field]) && !isRowsUnderKeys(root[field])
      ? mapped(root[field], [field])
      : listed(root[field], [field]),
  );
  const isStrict = record(root['policies'])['strict'] === true;
  const rows: Row[] = [];
  const weights = new Map<Row, number>();
  let size = 0;
  for (const one of written) {
    if (isStrict && one.fields['additive'] === true) continue;
    const bulk = bulkOf(one.fields);
    for (const row of readRow(one, { states, report })) {
      rows.push(row);
      weights.set(row, bulk);
      size += bulk * timesOf(row, states.size);
    }
    if (size > mostRows) break;
  }
  if (size <= mostRows) size += copiesOf(weights);
  if (size <= mostRows) return rows;
  const problem = tooMany(`more than ${mostRows}`, 'rows', mostRows);
  report(problem, rows.at(-1)!.at);
  return rows.slice(0, mostRows);
}

/** Counts a long row as several: the machine has it in every state and for every event that it names. */
function bulkOf(fields: Record<string, unknown>): number {
  const repeated = { ...fields, from: null, event: null };
  return 1 + Math.floor(JSON.stringify(repeated).length / longestRow);
}

/** How many copies of a row the machine has for one event. */
function timesOf({ from, event, raise }: Row, states: number): number {
  if (from.kind === 'states') return from.states.length;
  return event === undefined || raise ? states : 1;
}

/**
 * The copies of rows from anywhere in the machine: one in every state that leads back, because it is outside the common parent,
 * and one for each row of the same event in every target state of these rows.
 */
function copiesOf(weights: ReadonlyMap<Row, number>): number {
  const returning = new Set<string>();
  const anywhere = new Map<string | undefined, { weight: number; readonly targets: Set<string> }>();
  for (const [{ from, event, to }, weight] of weights) {
    if (from.kind === 'states' && to?.kind === 'previous')
      for (const { name } of from.states) returning.add(name);
    if (from.kind !== 'any') continue;
    const found = anywhere.get(event) ?? { weight: 0, targets: new Set<string>() };
    anywhere.set(event, found);
    found.weight += weight;
    if (to?.kind === 'state') found.targets.add(to.name);
  }
  let copies = 0;
  for (const { weight, targets } of anywhere.values())
    copies += weight * (returning.size + targets.size);
  return copies;
}

function listed(value: unknown, at: Path): Written[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown, index) => {
    if (!isRecord(one)) return [];
    const place = [...at, index];
    const events = textsOf(one['event'], [...place, 'event']);
    return {
      fields: one,
      from: fromOf(one['from'], [...place, 'from']),
      events: events.map((event) => ({ name: event.text, at: { path: event.at } })),
      at: place,
      toAt: [...place, 'to'],
    };
  });
}

function fromOf(written: unknown, path: Path): From | undefined {
  if (written === null) return { kind: 'nothing', at: { path } };
  if (written === '*') return { kind: 'any', at: { path } };
  if (typeof written !== 'string' && !Array.isArray(written)) return undefined;
  const states = textsOf(written, path).map(({ text, at }) => ({ name: text, at: { path: at } }));
  return { kind: 'states', states };
}

function mapped(value: Record<string, unknown>, at: Path): Written[] {
  return Object.entries(value).flatMap(([state, events]) => {
    const path = [...at, state];
    const place: DocumentLocation = { path, at: 'key' };
    const from: From =
      state === '*'
        ? { kind: 'any', at: place }
        : { kind: 'states', states: [{ name: state, at: place }] };
    return Object.entries(record(events)).flatMap(([event, cells]) => {
      const eventPath = [...path, event];
      const named = [{ name: event, at: { path: eventPath, at: 'key' as const } }];
      const list = Array.isArray(cells) ? cells : [cells];
      return list.flatMap((cell: unknown, index) => {
        const cellPath = Array.isArray(cells) ? [...eventPath, index] : eventPath;
        const row = { from, events: named, at: cellPath };
        // A cell may be the target alone; null leads back.
        if (typeof cell === 'string') return { ...row, fields: { to: cell }, toAt: cellPath };
        if (cell === null) return { ...row, fields: { to: previous }, toAt: cellPath };
        return isRecord(cell) ? { ...row, fields: cell, toAt: [...cellPath, 'to'] } : [];
      });
    });
  });
}

/** The target that means the previous state, before the current one. */
const previous = '$previous';

const eventAndAlways = error('event-and-always', () => ({
  message: 'The row has an event, but "always" means that it waits for no event.',
  hint: 'Remove "event", or "always".',
}));

const noEvent = error('no-event', () => ({
  message: 'The row has neither an event nor a target state.',
  hint: 'Add "event": the name of the event it waits for.',
}));

const unnamedEvent = info('unnamed-event', (event: string) => ({
  message: `The row has no event, so it is taken on the event "${event}", the name of its target state.`,
  hint: 'Write "event", or "always": true for a row that waits for no event.',
}));

function readRow({ fields, from, events, at, toAt }: Written, { states, report }: Reading): Row[] {
  if (!from) return [];
  if (!Object.hasOwn(fields, 'to')) noteMisnamedTarget(fields, at, { states, report });
  const to = targetOf(fields['to'], toAt);
  const raise = fields['raise'];
  const row = {
    id: optionalText(fields['id']),
    from,
    guard: guardOf(fields['guard'], [...at, 'guard']),
    to,
    actions: usesOf(fields['actions'], [...at, 'actions']),
    raise: typeof raise === 'string' ? { event: raise, at: [...at, 'raise'] } : undefined,
    description: optionalText(fields['description']),
    at,
  };
  if (fields['always'] === true) {
    if (events.length > 0) report(eventAndAlways(), [...at, 'always']);
    return [{ ...row, event: undefined, eventAt: { path: at } }];
  }
  if (events.length > 0)
    return events.map((event) => ({ ...row, event: event.name, eventAt: event.at }));
  // A row that creates an instance needs no event. Any other row without one waits for the name of its target.
  if (from.kind === 'nothing') return [{ ...row, event: 'create', eventAt: { path: at } }];
  const follows = ['event', 'always', 'to'].map((part) => [...at, part]);
  if (to?.kind !== 'state') {
    report(noEvent(), at, { follows });
    return [];
  }
  report(unnamedEvent(to.name), at, { follows });
  return [{ ...row, event: to.name, eventAt: { path: at } }];
}

const misnamedTarget = misread('misnamed-target', (field: string) => ({
  message: `The field "${field}" has no meaning in a row, so the row has no target.`,
  hint: `Rename "${field}" to "to".`,
}));

/** Reports another field that contains the name of a state: the author probably meant `to`. */
function noteMisnamedTarget(
  fields: Record<string, unknown>,
  at: Path,
  { states, report }: Reading,
): void {
  for (const [field, value] of Object.entries(fields)) {
    if (rowFields.includes(field) || typeof value !== 'string' || !states.has(value)) continue;
    const path = [...at, field];
    report(misnamedTarget(field), path, { at: 'key', about: [[...at, 'to']] });
  }
}

function targetOf(written: unknown, at: Path): Target | undefined {
  if (typeof written !== 'string') return undefined;
  return written === previous ? { kind: 'previous', at } : { kind: 'state', name: written, at };
}

function guardOf(written: unknown, at: Path): GuardUse | undefined {
  if (typeof written === 'string') return { kind: 'word', word: written, at };
  if (!isRecord(written) || !isRecord(written['event'])) return undefined;
  const fields = Object.entries(written['event']).filter((field): field is [string, Scalar] =>
    isScalar(field[1]),
  );
  return { kind: 'event', fields: Object.fromEntries(fields), at };
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
