import type { Json, JsonObject } from '@dramaturg/compiler';
import { type AttachmentFiles, base64Of } from '../attachments/attachment-files.ts';
import { instancesOf, listAll } from '../erasure/family.ts';
import { openDecisionsOf, viewOf } from '../host/view.ts';
import type { MemoryOwner } from '../memory/memory-owner.ts';
import type { StoreReader, StoreRecord } from '../store/contract.ts';
import { readLines } from '../store/pages.ts';
import { contextIn } from '../xstate/persisted-snapshot.ts';
import { stateOf } from '../instance/snapshot-parts.ts';
import { readJournal } from '../instance/journal-lines.ts';

/**
 * Writes everything about a contact as one JSON document, in parts, so that its length does not matter: its instances with
 * their copies and descendants, what they have stored in memory, and the files that are kept. Times are milliseconds since 1970 UTC.
 *
 * @param contact in its canonical form
 */
export async function* exportContact(
  store: StoreReader,
  contact: string,
  memoriesOf: MemoryOwner['memoriesOf'] = () => [],
  files?: AttachmentFiles,
): AsyncGenerator<string> {
  const instances = await instancesOf(store, contact);
  yield `{\n  "contact": ${JSON.stringify(contact)},\n  "instances": [`;
  let separator = '\n';
  // The oldest first: `instancesOf` returns children before their parents.
  for (const { id } of instances.toSorted((one, other) => one.createdAt - other.createdAt)) {
    const record = await store.read(id);
    if (record === undefined) continue;
    yield separator;
    yield* exportInstance(store, record);
    separator = ',\n';
  }
  const memories = await memoriesOf(instances.map(({ id }) => id));
  const optOuts: Json[] = [];
  for (const { id, createdAt } of await listAll(store, { kind: 'opt-out', contact })) {
    const record = await store.read(id);
    if (record) optOuts.push({ ...(record.snapshot as JsonObject), at: createdAt });
  }
  const optedOut = optOuts.length === 0 ? '' : `,\n  "optOuts": ${indented(optOuts, 2)}`;
  yield `\n  ],\n  "memories": ${indented(memories, 2)}${optedOut}`;
  if (files) yield* exportFiles(files, contact);
  yield '\n}\n';
}

/** The files of the contact, one a line. */
async function* exportFiles(files: AttachmentFiles, contact: string): AsyncGenerator<string> {
  let separator = ',\n  "files": [\n';
  for (const key of await files.list(contact)) {
    const bytes = await files.place.read(key);
    if (bytes === undefined) continue;
    yield `${separator}    ${JSON.stringify({ key, base64: base64Of(bytes) })}`;
    separator = ',\n';
  }
  if (separator === ',\n') yield '\n  ]';
}

async function* exportInstance(store: StoreReader, record: StoreRecord): AsyncGenerator<string> {
  const { id } = record;
  const state = stateOf(record);
  const savePoints: Json[] = [];
  for (const { id: checkpoint } of await listAll(store, { kind: 'checkpoint', parent: id })) {
    const saved = await store.read(checkpoint);
    if (saved) savePoints.push({ id: checkpoint, savedAt: saved.updatedAt, saved: saved.snapshot });
  }
  const fields = {
    ...viewOf(record),
    input: state.input,
    data: contextIn(state.flow),
    decisions: openDecisionsOf(record),
    outbox: record.outbox,
    savePoints,
    snapshot: state,
  };
  yield `    ${indented(fields as unknown as Json, 4).slice(0, -'\n    }'.length)},\n`;
  yield '      "transcript": [';
  yield* exportLines(readLines((range) => store.transcript(id, range)));
  yield '],\n      "journal": [';
  yield* exportLines(readLines((range) => readJournal(store, id, range)));
  yield ']\n    }';
}

/** One line of the document for each line. */
async function* exportLines(pages: AsyncIterable<readonly Json[]>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const page of pages) {
    const lines = page.map((line) => `        ${JSON.stringify(line)}`).join(',\n');
    yield `${isFirst ? '' : ','}\n${lines}`;
    isFirst = false;
  }
  if (!isFirst) yield '\n      ';
}

function indented(value: Json | readonly Json[], by: number): string {
  return JSON.stringify(value, undefined, 2).replaceAll('\n', `\n${' '.repeat(by)}`);
}
