import type { Json } from '@dramaturg/compiler';
import type { StoreLocation } from '@dramaturg/host';

/**
 * Makes a conversation as long as after more turns: its journal and transcript get the lines of the turns that it has had
 * again and again. Its snapshot has the same size after each turn, and says where the recent messages begin. A host that takes
 * the turns one after another would need minutes.
 *
 * @param taken the number of turns that the conversation has had
 */
export async function age(
  location: StoreLocation,
  id: string,
  { taken, turns }: { readonly taken: number; readonly turns: number },
): Promise<void> {
  const store = await location.open('the benchmarks');
  const { journalLength, transcriptLength, snapshot, revision } = (await store.read(id))!;
  const journal = await store.journal(id, { from: 0, limit: journalLength });
  const transcript = await store.transcript(id, { from: 0, limit: transcriptLength });
  let expectedRevision = revision;
  for (let had = taken; had + taken <= turns; had += taken) {
    const committed = await store.commit({ id, expectedRevision, journal, transcript });
    expectedRevision = committed.revision;
  }
  const { transcriptLength: line } = (await store.read(id))!;
  const recent = { since: Date.now(), from: line, before: line };
  const fields = snapshot as Readonly<Record<string, Json>>;
  await store.commit({ id, expectedRevision, snapshot: { ...fields, recent } });
  await store.close();
}
