import type { Chart } from '@dramaturg/compiler';
import type { Behaviour } from '@dramaturg/compiler/machine';
import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createHost } from '../src/host/create-host.ts';
import type { Host } from '../src/host/host.ts';
import { lowdbStore } from '../src/store/lowdb/lowdb-store.ts';
import { temporaryFolder } from './store/temporary-folder.ts';

/** What a host does when a record of its own is damaged: what is in the others goes on. */

const chart: Chart = {
  chart: 1,
  format: 'tests',
  id: 'ticket',
  context: { type: 'none' },
  output: { type: 'none' },
  initial: 'open',
  states: { open: {} },
  meta: { restart_timer: 'remaining' },
};
const behaviour: Behaviour = {
  contexts: { none: () => ({}) },
  guards: {},
  actions: {},
  inputs: {},
  outputs: { none: () => ({}) },
};

let trouble: string[] = [];

function open(folder: string): Promise<Host> {
  trouble = [];
  return createHost({
    store: lowdbStore(folder, { fsync: 'never' }),
    definitions: [{ name: 'ticket', chart, lifecycle: 'own' }],
    behaviours: new Map([['tests', behaviour]]),
    onError: (error) => void trouble.push((error as { code: string }).code),
  });
}

/** A store with an instance, in which a record has lost its second half. */
async function withDamaged(record: string): Promise<string> {
  const folder = temporaryFolder();
  const host = await open(folder);
  await host.start('ticket', { id: 'a' });
  await host.stop();
  // Writes the record from the journal into its file.
  const store = await lowdbStore(folder).open('the test');
  await store.compact();
  await store.close();
  const records = join(folder, 'data', 'records');
  const found = readdirSync(records).find((name) => name.startsWith(record));
  truncateSync(join(records, found!), 40);
  return folder;
}

test.each(['host-alive', 'definition-ticket'])(
  'a host runs while %s is damaged',
  async (record) => {
    const folder = await withDamaged(record);
    // The first host finds it damaged, the second one set aside.
    for (const id of ['b', 'c']) {
      const host = await open(folder);
      await host.start('ticket', { id });
      await host.settle();
      expect((await host.get('a')).id).toBe('a');
      expect(await host.damaged()).toHaveLength(1);
      expect(trouble).toEqual(['store/damaged']);
      await host.stop();
    }
  },
);
