import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '@dramaturg/host';
import {
  compile,
  createHost,
  type Host,
  type HostOptions,
  lowdbStore,
  sqliteStore,
  understudyPorts,
} from 'dramaturg';

/** The instances whose stores each release keeps, and how they continue. */

const formatsFolder = join(import.meta.dirname, '../../../formats');

/** When the instances were stored. A host that opens them has a clock that does not move from there. */
const storedAt = Date.UTC(2026, 10, 27);
export const storeKinds = ['lowdb', 'sqlite'] as const;
export type StoreKind = (typeof storeKinds)[number];

export interface StoredInstance {
  /** The path of its definition in the folder of the formats. */
  readonly definition: string;
  readonly input?: Parameters<Host['start']>[1];
  /** What has happened before it was stored. */
  readonly before: (host: Host, id: string) => Promise<unknown>;
  /** What happens after a later release has opened its store. */
  readonly after: (host: Host, id: string) => Promise<unknown>;
  /** The state after that. */
  readonly state: string;
}

const says = (text: string) => (host: Host, id: string) => host.receive({ contact: id, text });

/** By format. */
export const storedInstances: Readonly<Record<string, StoredInstance>> = {
  plan: {
    definition: 'plan/test/fixtures/intake/intake.plan.json',
    before: says('My name is Ada.'),
    after: says('My account number is 4711.'),
    state: 'WAITING_FOR_REPLY',
  },
  npc: {
    definition: 'npc/test/fixtures/ferry/ferry.npc.json',
    before: async () => {},
    after: says('I carry wool, and pay two coins.'),
    state: 'COMPLETED',
  },
  'context-graph': {
    definition: 'context-graph/test/fixtures/check-in/check-in.context-graph.json',
    before: says('I am ready.'),
    after: says('No pain, and I breathe well.'),
    state: 'WAITING_FOR_REPLY',
  },
  lifecycle: {
    definition: 'lifecycle/test/fixtures/parcel/parcel.lifecycle.json',
    before: (host, id) => host.send(id, { type: 'pack' }),
    after: (host, id) => host.send(id, { type: 'collect' }),
    state: 'ON_THE_WAY',
  },
  asl: {
    definition: 'asl/test/fixtures/order/order.asl.json',
    input: { input: { input: { items: [{ sku: 'a' }, { sku: 'b' }], trusted: false } } },
    before: async () => {},
    after: async (host, id) => {
      const [decision] = (await host.decisions({ instance: id })).items;
      return host.decide(decision!.decision, { decision: 'approve', by: 'ana' });
    },
    state: 'COMPLETED',
  },
};

/** Opens a store, with the answers of agents that never change. */
export function openStored(
  kind: StoreKind,
  folder: string,
  definitions: HostOptions['definitions'] = {},
): Promise<Host> {
  return createHost({
    store: kind === 'lowdb' ? lowdbStore(folder) : sqliteStore(join(folder, 'store.sqlite')),
    definitions,
    clock: manualClock({ startAt: storedAt }),
    ports: {
      ...understudyPorts(),
      runAgent: async ({ agent }) => ({ result: agent === 'Price' ? { sum: 250 } : `by ${agent}` }),
    },
    channels: { main: { deliver: () => {} } },
  });
}

/** Stores an instance of each format in each kind of store: in the folder `plan-lowdb` and so on. */
export async function storeInstances(folder: string): Promise<void> {
  for (const [format, instance] of Object.entries(storedInstances)) {
    for (const kind of storeKinds) {
      const place = join(folder, `${format}-${kind}`);
      rmSync(place, { recursive: true, force: true });
      mkdirSync(place, { recursive: true });
      const host = await openStored(kind, place, definitionOf(instance));
      await host.start('it', { id: 'i', contact: 'i', ...instance.input });
      await host.settle();
      await instance.before(host, 'i');
      await host.settle();
      await host.stop();
    }
  }
}

function definitionOf({ definition }: StoredInstance) {
  const compiled = compile(readFileSync(join(formatsFolder, definition), 'utf8'), {
    fileName: definition,
  });
  return { it: compiled };
}
