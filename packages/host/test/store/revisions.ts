import type { Store } from '../../src/store/contract.ts';

/** Writes eight revisions of the record `a`, and prints each acknowledged write. */
export async function writeRevisions(
  store: Store,
  print: (line: Readonly<Record<string, unknown>>) => void,
): Promise<void> {
  await store.create({
    id: 'a',
    kind: 'k',
    createdAt: 1,
    status: 's',
    snapshot: 1,
    parts: [{ key: 'p1', value: 1 }],
    journal: [1],
    outbox: [{ id: 'e', body: 'hello' }],
  });
  print({ revision: 1 });
  await store.acknowledge({ id: 'a', letter: 'e' });
  print({ acknowledged: true });
  for (let revision = 2; revision <= 8; revision += 1) {
    await store.commit({
      id: 'a',
      expectedRevision: revision - 1,
      snapshot: revision,
      parts: { set: [{ key: `p${revision}`, value: revision }], removed: [`p${revision - 1}`] },
      timers: [{ key: 't', at: revision }],
      effects: [{ id: `m${revision}`, body: revision }],
      journal: [revision],
      transcript: [`turn ${revision}`.padEnd(100)],
    });
    print({ revision });
  }
}
