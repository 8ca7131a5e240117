import type { Value } from '../connection/database.ts';
import { storedName } from '../names.ts';
import { sumOfLetter, sumOfSnapshot } from '@dramaturg/host/store';
import { type RecordRow, sumOfLines, sumOfPart } from '../rows.ts';
import { booleanArray, floatArray, integerArray, textArray } from './arrays.ts';
import { finishedRow, type Group } from './group.ts';

/** The header of a group: see the function `store_group`. */
export interface GroupHeader {
  /** The fencing token of the lease. */
  readonly token: string;
  readonly claim: string;
  readonly previous: string;
  readonly id: string;
  /** The highest position in the feed that a row has or had. */
  readonly lastPosition: number;
}

/** The arguments of `store_group`, in its order. */
export function groupValues(
  { token, claim, previous, id, lastPosition }: GroupHeader,
  group: Group,
): Value[] {
  return [
    token,
    claim,
    previous,
    id,
    lastPosition,
    integerArray(group.deleted, (number) => number),
    ...recordValues(group),
    ...snapshotValues(group),
    ...partValues(group),
    ...letterValues(group),
    ...lineValues(group),
    integerArray(group.marks, ({ number }) => number),
    textArray(group.marks, ({ reason }) => reason.replaceAll('\0', '␀')),
  ];
}

const storing = `{schema}.store_group(${Array.from({ length: 60 }, (_, index) => `$${index + 1}`).join(', ')})`;

/** The statement that takes these values. Its transaction is flushed before the answer, if the server is configured so. */
export const storeGroupStatement = `SELECT ${storing} AS is_new`;

/** The statement without a wait for the flush. The server flushes within three times its `wal_writer_delay`. */
export const storeUnflushedStatement = `SELECT ${storing} AS is_new, set_config('synchronous_commit', 'off', true)`;

function recordValues({ changes }: Group): Value[] {
  const all = [...changes.values()];
  const added = all.filter(({ base }) => base === undefined);
  const changed = [...added, ...all.filter(({ base }) => base !== undefined)];
  const rows = changed.map(finishedRow);
  const created = rows.slice(0, added.length);
  const texts = (of: readonly RecordRow[], name: (row: RecordRow) => string | null) =>
    textArray(of, (row) => {
      const given = name(row);
      return given === null ? null : storedName(given);
    });
  return [
    integerArray(created, ({ number }) => number),
    texts(created, ({ id }) => id),
    texts(created, ({ kind }) => kind),
    texts(created, ({ contact }) => contact),
    texts(created, ({ parent }) => parent),
    texts(created, ({ definition }) => definition),
    texts(created, ({ version }) => version),
    floatArray(created, ({ created_at }) => created_at),
    integerArray(rows, ({ number }) => number),
    integerArray(changed, ({ base }) => base ?? null),
    floatArray(rows, ({ updated_at }) => updated_at),
    texts(rows, ({ status }) => status),
    booleanArray(rows, ({ ended }) => ended),
    integerArray(rows, ({ revision }) => revision),
    textArray(rows, ({ timers }) => timers),
    floatArray(rows, ({ due_at }) => due_at),
    integerArray(rows, ({ questions }) => questions),
    texts(rows, ({ queue }) => queue),
    floatArray(rows, ({ queued_at }) => queued_at),
    texts(rows, ({ owner }) => owner),
    floatArray(rows, ({ acted_at }) => acted_at),
    integerArray(rows, ({ last_letter }) => last_letter),
    integerArray(rows, ({ letter_count }) => letter_count),
    integerArray(rows, ({ last_part }) => last_part),
    integerArray(rows, ({ part_count }) => part_count),
    integerArray(rows, ({ journal_length }) => journal_length),
    integerArray(rows, ({ transcript_length }) => transcript_length),
    integerArray(rows, ({ sum }) => sum),
  ];
}

function snapshotValues({ changes }: Group): Value[] {
  const rows: { readonly record: number; readonly text: string }[] = [];
  for (const [record, { snapshot }] of changes)
    if (snapshot !== undefined) rows.push({ record, text: snapshot });
  return [
    integerArray(rows, ({ record }) => record),
    integerArray(rows, ({ record, text }) => sumOfSnapshot(record, text)),
    textArray(rows, ({ text }) => text),
  ];
}

interface PlacedText {
  readonly record: number;
  readonly place: number;
  readonly name: string;
  readonly text: string;
}

function partValues({ changes }: Group): Value[] {
  const removed = placesOf(changes, 'removedParts');
  const set = textsOf(changes, 'parts');
  return [
    ...removed,
    ...placedValues(set, ({ record, place, name, text }) => sumOfPart(record, place, name, text)),
  ];
}

function letterValues({ changes }: Group): Value[] {
  const removed = placesOf(changes, 'removedLetters');
  const added = textsOf(changes, 'letters');
  return [
    ...removed,
    ...placedValues(added, ({ record, place, name, text }) =>
      sumOfLetter(record, place, name, text),
    ),
  ];
}

function placesOf(changes: Group['changes'], kind: 'removedParts' | 'removedLetters'): Value[] {
  const places: { readonly record: number; readonly place: number }[] = [];
  for (const [record, change] of changes)
    for (const place of change[kind]) places.push({ record, place });
  return [integerArray(places, ({ record }) => record), integerArray(places, ({ place }) => place)];
}

function textsOf(changes: Group['changes'], kind: 'parts' | 'letters'): PlacedText[] {
  const texts: PlacedText[] = [];
  for (const [record, change] of changes)
    for (const [name, { place, text }] of change[kind]) texts.push({ record, place, name, text });
  return texts;
}

function placedValues(rows: readonly PlacedText[], sumOf: (row: PlacedText) => number): Value[] {
  return [
    integerArray(rows, ({ record }) => record),
    integerArray(rows, ({ place }) => place),
    textArray(rows, ({ name }) => storedName(name)),
    integerArray(rows, sumOf),
    textArray(rows, ({ text }) => text),
  ];
}

function lineValues({ changes }: Group): Value[] {
  const rows = Array.from(changes, ([record, { lines }]) =>
    lines.map(({ kind, first, texts, position }) => {
      const count = position === undefined ? null : texts.length;
      const text = `[${texts.join(',')}]`;
      return { record, kind, first, position: position ?? null, count, text };
    }),
  ).flat();
  return [
    integerArray(rows, ({ record }) => record),
    textArray(rows, ({ kind }) => kind),
    integerArray(rows, ({ first }) => first),
    integerArray(rows, ({ position }) => position),
    integerArray(rows, ({ count }) => count),
    integerArray(rows, ({ record, kind, first, text }) => sumOfLines(record, kind, first, text)),
    textArray(rows, ({ text }) => text),
  ];
}
