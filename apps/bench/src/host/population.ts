import { realWorld } from '@dramaturg/compiler/machine';
import type { Clock, Store } from '@dramaturg/host';
import type { NewRecord } from '@dramaturg/host/store';
import { OwnProcess } from '../own-process/own-process.ts';
import type { Prepare } from '../measure.ts';
import { Stage } from './stage.ts';
import { storeAt, storeFolder, type StoreKind, type StoreSettings } from './stores.ts';

/** The id in the copied record. Each copy replaces it, so no other string may contain it. */
const seedId = 'instance-0000000';

const hour = 3_600_000;

/** The id of an instance, which is also the id of its contact. */
export function idOf(number: number): string {
  return `instance-${String(number).padStart(seedId.length - 'instance-'.length, '0')}`;
}

/** The thing that each conversation waits for: the answer of its contact, a channel that is down, or a silent model. */
export type WaitsFor = 'contact' | 'channel' | 'model';

export interface Population {
  readonly count: number;
  /** Default: `contact`. */
  readonly waitsFor?: WaitsFor;
  /** Whether the clock of its host is two hours slow, so that its timers of one hour are overdue. */
  readonly isOverdue?: boolean;
}

/**
 * Fills a store with conversations that were greeted and wait for an answer or a reminder. A host creates the first. The
 * others are copies of its record with other ids, written directly to the store, which is ten times as fast.
 */
export async function populate(
  settings: StoreSettings,
  { count, waitsFor = 'contact', isOverdue = false }: Population,
  onProgress: (step: string) => void,
): Promise<void> {
  const location = storeAt(settings, 'never');
  const stage = await Stage.open(location, {
    ...(isOverdue ? { clock: clockSet(-2 * hour) } : {}),
    ...(waitsFor === 'channel' ? { channels: deadChannel } : {}),
    ...(waitsFor === 'model' ? { ports: silentModel } : {}),
    onError: () => {},
  });
  const heartbeat = { interval_ms: hour, max_followups: 5 };
  if (waitsFor === 'contact') await stage.begin(seedId, heartbeat);
  else {
    await stage.host.start('chat', { id: seedId, contact: seedId });
    await hasOpen(stage, waitsFor);
  }
  await stage.host.stop({ within: 0 });
  const store = await location.open('the benchmarks');
  const seed = await readNew(store, seedId);
  const text = JSON.stringify(seed);
  for (let created = 1; created < count;) {
    const numbers = Array.from(
      { length: Math.min(1_000, count - created) },
      (_, index) => created + index,
    );
    await Promise.all(
      numbers.map((number) => {
        const copy = JSON.parse(text.replaceAll(seedId, idOf(number))) as NewRecord;
        // In a host, no two instances have the same creation time.
        return store.create({ ...copy, createdAt: seed.createdAt + number / 1_000 });
      }),
    );
    created += numbers.length;
    onProgress(`instance ${created} of ${count} on ${settings.kind}`);
  }
  await store.close();
}

/** A channel that accepts nothing. */
export const deadChannel = {
  main: {
    deliver: () => {
      throw new Error('The channel is down.');
    },
  },
};

/** A model that never answers. */
export const silentModel = { reply: () => new Promise<never>(() => {}) };

async function hasOpen({ host }: Stage, what: 'channel' | 'model'): Promise<void> {
  for (;;) {
    const { calls, undelivered } = await host.get(seedId);
    if ((what === 'channel' ? undelivered : calls).length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function readNew(store: Store, id: string): Promise<NewRecord> {
  const record = (await store.read(id))!;
  const { journalLength, transcriptLength, revision: _, updatedAt: __, ...fields } = record;
  return {
    ...fields,
    journal: await store.journal(id, { from: 0, limit: journalLength }),
    transcript: await store.transcript(id, { from: 0, limit: transcriptLength }),
  };
}

function clockSet(by: number): Clock {
  return {
    world: { ...realWorld, now: () => realWorld.now() + by },
    timer: (_, { signal }) =>
      new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  };
}

/** Fills a store in its own process, and returns its folder. */
export async function populated({
  name,
  kind,
  count,
  isOverdue = false,
  waitsFor = 'contact',
}: Population & { readonly name: string; readonly kind: StoreKind }): Promise<string> {
  const folder = storeFolder(`${name}-${kind}`);
  const settings = { kind, folder, count, isOverdue, waitsFor };
  const populating = await OwnProcess.prepared(import.meta.filename, settings);
  await populating.close();
  return folder;
}

interface PopulatingSettings extends StoreSettings {
  readonly count: number;
  readonly isOverdue: boolean;
  readonly waitsFor: WaitsFor;
}

export const prepare: Prepare<PopulatingSettings> = async (settings, onProgress) => {
  await populate(settings, settings, onProgress);
  return { sample: async () => ({}) };
};
