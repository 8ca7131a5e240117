import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Chance } from '@dramaturg/testing';
import type { Mission } from './protocol.ts';
import { storeOf } from './store-of.ts';

/**
 * A process that writes to a store, and says before each deletion and after each write what it has done, in a file beside the
 * store: the id of the record and its revision, 0 for a deleted record, -1 for one that may be deleted.
 */
const { seed, ...mission } = JSON.parse(process.argv[2]!) as Pick<
  Mission,
  'store' | 'folder' | 'fsync'
> & { readonly seed: number };
const chance = new Chance(seed);
const store = await storeOf(mission).open('a writer');
const said = openSync(join(mission.folder, 'said'), 'a');
const say = (id: string, revision: number) => writeSync(said, `${id} ${revision}\n`);

/** Milliseconds after which a store copies its log. */
const idleMs = 1_200;

async function work(own: number, steps: number): Promise<void> {
  const revisions = new Map<string, number>();
  for (const { id, revision } of (await store.list({}, { limit: 1_000 })).items)
    if (id.startsWith(`${own}-`)) revisions.set(id, revision);
  for (let step = 0; step < steps; step += 1) {
    const fate = chance.next();
    const id = chance.of([...revisions.keys(), `${own}-${seed}-${step}`]);
    const revision = revisions.get(id);
    if (fate < 0.02) await store.compact();
    else if (revision === undefined) {
      const first = { id, kind: 'k', createdAt: 1, status: 's', snapshot: 1, journal: [1] };
      await store.create({ ...first, outbox: [{ id: 'letter', body: 'x' }] });
      revisions.set(id, 1);
      say(id, 1);
    } else if (fate < 0.08) {
      say(id, -1);
      await store.delete(id);
      revisions.delete(id);
      say(id, 0);
    } else {
      const next = revision + 1;
      const text = 'x'.repeat(chance.between(0, fate < 0.15 ? 20_000 : 200));
      const parts = { set: [{ key: 'part', value: [next, text] }], removed: [] };
      const change = { snapshot: next, parts, journal: [next] };
      await store.commit({ id, expectedRevision: revision, ...change });
      revisions.set(id, next);
      say(id, next);
    }
  }
}

await work(0, 110);
if (chance.next() < 0.5) await pause(idleMs);
await Promise.all([1, 2, 3].map((own) => work(own, 15)));
if (chance.next() < 0.5) await store.close();
process.exit();
