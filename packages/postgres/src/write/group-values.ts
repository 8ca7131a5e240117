import type { Value } from '../connection/database.ts';
import { storedName } from '../names.ts';
import { sumOfLetter, sumOfLines, sumOfPart, sumOfSnapshot } from '../rows.ts';
import { booleanArray, floatArray, integerArray, textArray } from './arrays.ts';
import { finishedRow, type Group } from './group.ts';

/** The header of a group: see the function `store_group`. */
export interface GroupHeader {
  /** The fence of the lease. */
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
    integerArray(group.deleted),
    ...recordValues(group),
    ...snapshotValues(group),
    ...partValues(group),
    ...letterValues(group),
    ...lineValues(group),
    integerArray(group.marks.map(({ number }) => number)),
    textArray(group.marks.map(({ reason }) => reason.replaceAll('\0', '␀'))),
  ];
}

const storing = `{schema}.store_group(${Array.from({ length: 60 }, (_, index) => `$${index + 1}`).join(', ')})`;

/** The statement that takes them. Its transaction is flushed before it is answered, if the server is set to do so. */
export const storeGroupStatement = `SELECT ${storing} AS is_new`;

/** The same without a wait for the flush, which the server makes soon after: three times its `wal_writer_delay` at most. */
export const storeUnflushedStatement = `SELECT ${storing} AS is_new, set_config('synchronous_commit', 'off', true)`;

function recordValues({ changes }: Group): Buffer[] {
  const all = [...changes.values()];
  const added = all.filter(({ base }) => base === undefined);
  const changed = [...added, ...all.filter(({ base }) => base !== undefined)];
  const rows = changed.map(finishedRow);
  const created = rows.slice(0, added.length);
  const texts = (items: readonly (string | null)[]) =>
    textArray(items.map((item) => (item === null ? null : storedName(item))));
  return [
    integerArray(created.map(({ number }) => number)),
    texts(created.map(({ id }) => id)),
    texts(created.map(({ kind }) => kind)),
    texts(created.map(({ contact }) => contact)),
    texts(created.map(({ parent }) => parent)),
    texts(created.map(({ definition }) => definition)),
    texts(created.map(({ version }) => version)),
    floatArray(created.map(({ created_at }) => created_at)),
    integerArray(rows.map(({ number }) => number)),
    integerArray(changed.map(({ base }) => base ?? null)),
    floatArray(rows.map(({ updated_at }) => updated_at)),
    texts(rows.map(({ status }) => status)),
    booleanArray(rows.map(({ ended }) => ended)),
    integerArray(rows.map(({ revision }) => revision)),
    textArray(rows.map(({ timers }) => timers)),
    floatArray(rows.map(({ due_at }) => due_at)),
    integerArray(rows.map(({ questions }) => questions)),
    texts(rows.map(({ queue }) => queue)),
    floatArray(rows.map(({ queued_at }) => queued_at)),
    texts(rows.map(({ owner }) => owner)),
    floatArray(rows.map(({ acted_at }) => acted_at)),
    integerArray(rows.map(({ last_letter }) => last_letter)),
    integerArray(rows.map(({ letter_count }) => letter_count)),
    integerArray(rows.map(({ last_part }) => last_part)),
    integerArray(rows.map(({ part_count }) => part_count)),
    integerArray(rows.map(({ journal_length }) => journal_length)),
    integerArray(rows.map(({ transcript_length }) => transcript_length)),
    integerArray(rows.map(({ sum }) => sum)),
  ];
}

function snapshotValues({ changes }: Group): Buffer[] {
  const rows = Array.from(changes, ([record, { snapshot }]) => ({ record, text: snapshot })).filter(
    (row): row is { record: number; text: string } => row.text !== undefined,
  );
  return [
    integerArray(rows.map(({ record }) => record)),
    integerArray(rows.map(({ record, text }) => sumOfSnapshot(record, text))),
    textArray(rows.map(({ text }) => text)),
  ];
}

interface PlacedText {
  readonly record: number;
  readonly place: number;
  readonly name: string;
  readonly text: string;
}

function partValues({ changes }: Group): Buffer[] {
  const removed = placesOf(changes, 'removedParts');
  const set = textsOf(changes, 'parts');
  return [
    ...removed,
    ...placedValues(set, ({ record, place, name, text }) => sumOfPart(record, place, name, text)),
  ];
}

function letterValues({ changes }: Group): Buffer[] {
  const removed = placesOf(changes, 'removedLetters');
  const added = textsOf(changes, 'letters');
  return [
    ...removed,
    ...placedValues(added, ({ record, place, name, text }) =>
      sumOfLetter(record, place, name, text),
    ),
  ];
}

function placesOf(changes: Group['changes'], kind: 'removedParts' | 'removedLetters'): Buffer[] {
  const places = Array.from(changes, ([record, change]) =>
    Array.from(change[kind], (place) => ({ record, place })),
  ).flat();
  return [
    integerArray(places.map(({ record }) => record)),
    integerArray(places.map(({ place }) => place)),
  ];
}

function textsOf(changes: Group['changes'], kind: 'parts' | 'letters'): PlacedText[] {
  return Array.from(changes, ([record, change]) =>
    Array.from(change[kind], ([name, { place, text }]) => ({ record, place, name, text })),
  ).flat();
}

function placedValues(rows: readonly PlacedText[], sumOf: (row: PlacedText) => number): Buffer[] {
  return [
    integerArray(rows.map(({ record }) => record)),
    integerArray(rows.map(({ place }) => place)),
    textArray(rows.map(({ name }) => storedName(name))),
    integerArray(rows.map(sumOf)),
    textArray(rows.map(({ text }) => text)),
  ];
}

function lineValues({ changes }: Group): Buffer[] {
  const rows = Array.from(changes, ([record, { lines }]) =>
    lines.map(({ kind, first, texts, position }) => {
      const count = position === undefined ? null : texts.length;
      const text = `[${texts.join(',')}]`;
      return { record, kind, first, position: position ?? null, count, text };
    }),
  ).flat();
  return [
    integerArray(rows.map(({ record }) => record)),
    textArray(rows.map(({ kind }) => kind)),
    integerArray(rows.map(({ first }) => first)),
    integerArray(rows.map(({ position }) => position)),
    integerArray(rows.map(({ count }) => count)),
    integerArray(
      rows.map(({ record, kind, first, text }) => sumOfLines(record, kind, first, text)),
    ),
    textArray(rows.map(({ text }) => text)),
  ];
}
