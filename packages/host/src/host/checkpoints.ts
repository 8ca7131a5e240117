import type { Json, JsonObject, PortInput } from '@dramaturg/compiler';
import { shortCode } from '@dramaturg/compiler/machine';
import { HostError } from '../errors.ts';
import type { InstanceState } from '../instance/state.ts';
import type { DefinitionVersion, RecordSummary, Store, StoreReader } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import { readPages } from '../store/pages.ts';

/** The prefix of the ids of save point records. */
export const checkpointPrefix = 'checkpoint:';

/** A save point of a run. Times are milliseconds since 1970 UTC. */
export interface CheckpointSummary {
  readonly name: string;
  readonly savedAt: number;
  /** Absent when it never expires. */
  readonly expiresAt?: number;
  readonly definition: DefinitionVersion;
}

/** The stored state of a run at a save point. */
export interface SavedRun {
  readonly flow: Json;
  readonly input: JsonObject;
  readonly address: string | null;
  readonly channel: string | null;
}

/** The oldest save points of a run beyond this number are deleted. */
const keptMax = 100;
const nameLengthMax = 200;

/**
 * Owns the save points of runs. Each save point has its own record, so that the record of the run does not grow, and a copy
 * starts without changing the run. Saving with the same name replaces the save point.
 *
 * States of the record: `kept` or `expired`.
 */
export class Checkpoints {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #onExpiry: (at: number) => void;

  /** @param onExpiry receives the times at which save points will expire */
  constructor(store: Store, now: () => number, onExpiry: (at: number) => void = () => {}) {
    this.#store = store;
    this.#now = now;
    this.#onExpiry = onExpiry;
  }

  /** Saves the stored state of a run. Idempotent. */
  async save(
    instance: string,
    { name, expiresAt }: PortInput<'saveCheckpoint'>,
    definition: DefinitionVersion,
    { flow = null, input, address, channel }: InstanceState,
  ): Promise<void> {
    const id = recordId(instance, name);
    const now = this.#now();
    const snapshot = { flow, input, address, channel } satisfies SavedRun as Json;
    const timers = expiresAt === undefined ? [] : [{ key: 'expire', at: expiresAt }];
    const kept = { status: 'kept', snapshot, timers };
    const known = await this.#store.read(id);
    if (expiresAt !== undefined) this.#onExpiry(expiresAt);
    if (known) {
      const { revision: expectedRevision } = known;
      await this.#store.commit({ id, expectedRevision, updatedAt: now, ...kept });
      return;
    }
    const kind = 'checkpoint';
    await this.#store.create({ id, kind, parent: instance, definition, createdAt: now, ...kept });
    const all = await this.#kept(instance);
    for (const { id: oldest } of all.slice(0, -keptMax)) await this.forget(oldest);
  }

  /**
   * Reads a save point.
   *
   * @throws HostError `host/unknown-checkpoint` when it does not exist or has expired
   */
  async read(
    instance: string,
    name: string,
  ): Promise<{ readonly run: SavedRun; readonly definition: DefinitionVersion }> {
    const record = await this.#store.read(recordId(instance, name));
    if (record?.status === 'kept' && !hasExpired(record, this.#now()))
      return { run: record.snapshot as unknown as SavedRun, definition: record.definition! };
    const names = (await this.#kept(instance)).map((each) =>
      JSON.stringify(nameOf(instance, each)),
    );
    const known = names.length > 0 ? `It has ${names.join(', ')}.` : 'It has none.';
    throw new HostError(
      'host/unknown-checkpoint',
      record
        ? `The save point ${JSON.stringify(name)} of ${JSON.stringify(instance)} has expired. ${known}`
        : `${JSON.stringify(instance)} has no save point ${JSON.stringify(name)}. ${known}`,
    );
  }

  /** Deletes the content of an expired save point. */
  async forget(id: string): Promise<void> {
    const record = await this.#store.read(id);
    if (!record) return;
    const { revision: expectedRevision } = record;
    try {
      const gone = { status: 'expired', snapshot: null, timers: [] };
      await this.#store.commit({ id, expectedRevision, updatedAt: this.#now(), ...gone });
    } catch (error) {
      // The save point was saved again concurrently.
      if (!(error instanceof StoreError && error.code === 'store/conflict')) throw error;
    }
  }

  #kept(instance: string): Promise<readonly RecordSummary[]> {
    return keptRecords(this.#store, instance, this.#now());
  }
}

/**
 * The save points of a run in the order in which they were saved, without expired ones.
 *
 * @param now milliseconds since 1970 UTC
 */
export async function listCheckpoints(
  store: StoreReader,
  instance: string,
  now: number,
): Promise<readonly CheckpointSummary[]> {
  const records = await keptRecords(store, instance, now);
  return records.map((record) => summaryOf(instance, record));
}

async function keptRecords(
  store: StoreReader,
  instance: string,
  now: number,
): Promise<readonly RecordSummary[]> {
  const found: RecordSummary[] = [];
  const wanted = { kind: 'checkpoint', parent: instance, status: 'kept' };
  for await (const records of readPages((page) => store.list(wanted, page)))
    found.push(...records.filter((record) => !hasExpired(record, now)));
  return found.toSorted((one, other) => one.updatedAt - other.updatedAt);
}

function hasExpired({ timers: [expiry] }: Pick<RecordSummary, 'timers'>, now: number): boolean {
  return expiry !== undefined && expiry.at <= now;
}

function nameOf(instance: string, { id }: RecordSummary): string {
  return id.slice(checkpointPrefix.length + instance.length + 1);
}

function summaryOf(instance: string, record: RecordSummary): CheckpointSummary {
  const { updatedAt, timers, definition } = record;
  const [expiry] = timers;
  return {
    name: nameOf(instance, record),
    savedAt: updatedAt,
    ...(expiry ? { expiresAt: expiry.at } : {}),
    definition: definition!,
  };
}

/** A name that is too long for an id is cut, and a hash keeps it unique. */
function recordId(instance: string, name: string): string {
  const short =
    name.length <= nameLengthMax ? name : `${name.slice(0, nameLengthMax)}~${shortCode(name)}`;
  return `${checkpointPrefix}${instance}/${short}`;
}
