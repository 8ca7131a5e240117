import { codeOf, type Json, type JsonObject, type PortInput } from '@dramaturg/compiler';
import { HostError } from '../errors.ts';
import type { InstanceState } from '../instance/state.ts';
import type { DefinitionVersion, RecordSummary, Store } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import { pagesOf } from '../store/pages.ts';

/** Ids of records that hold save points begin so. */
export const checkpointPrefix = 'checkpoint:';

/** A save point of a run. Times are milliseconds since 1970 UTC. */
export interface CheckpointSummary {
  readonly name: string;
  readonly savedAt: number;
  /** Absent when it is kept for ever. */
  readonly expiresAt?: number;
  readonly definition: DefinitionVersion;
}

/** What is stored at a save point: all that a run goes on with. */
export interface SavedRun {
  readonly flow: Json;
  readonly input: JsonObject;
  readonly address: string | null;
  readonly channel: string | null;
}

/** How many save points a run has at most: the one that was saved longest ago gives way. */
const mostKept = 100;
const longestName = 200;

/**
 * The save points of runs, each a record of its own beside the record of its run: a name has one, which the next of the name
 * takes the place of. So what is stored of a run does not grow with them, and a run is not touched when another one begins
 * at one of its save points.
 */
export class Checkpoints {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #onExpiry: (at: number) => void;

  /** @param onExpiry is told when one will have expired */
  constructor(store: Store, now: () => number, onExpiry: (at: number) => void = () => {}) {
    this.#store = store;
    this.#now = now;
    this.#onExpiry = onExpiry;
  }

  /** Keeps a run as it is stored now. Done twice, it comes to the same. */
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
    for (const { id: oldest } of all.slice(0, -mostKept)) await this.forget(oldest);
  }

  /** Of a run, the one that was saved first before the others; none that has expired. */
  async list(instance: string): Promise<readonly CheckpointSummary[]> {
    return (await this.#kept(instance)).map((summary) => summaryOf(instance, summary));
  }

  /**
   * What is stored at a save point, and of which definition.
   *
   * @throws HostError `host/unknown-checkpoint` when there is none of the name, or it has expired
   */
  async read(
    instance: string,
    name: string,
  ): Promise<{ readonly run: SavedRun; readonly definition: DefinitionVersion }> {
    const record = await this.#store.read(recordId(instance, name));
    if (record?.status === 'kept' && !this.#hasExpired(record))
      return { run: record.snapshot as unknown as SavedRun, definition: record.definition! };
    const names = (await this.list(instance)).map((each) => JSON.stringify(each.name));
    const known = names.length > 0 ? `It has ${names.join(', ')}.` : 'It has none.';
    throw new HostError(
      'host/unknown-checkpoint',
      record
        ? `The save point ${JSON.stringify(name)} of ${JSON.stringify(instance)} has expired. ${known}`
        : `${JSON.stringify(instance)} has no save point ${JSON.stringify(name)}. ${known}`,
    );
  }

  /** Its time is up: what it holds is given up, and the store has its room back. */
  async forget(id: string): Promise<void> {
    const record = await this.#store.read(id);
    if (!record) return;
    const { revision: expectedRevision } = record;
    try {
      const gone = { status: 'expired', snapshot: null, timers: [] };
      await this.#store.commit({ id, expectedRevision, updatedAt: this.#now(), ...gone });
    } catch (error) {
      // Somebody has saved it anew just now.
      if (!(error instanceof StoreError && error.code === 'store/conflict')) throw error;
    }
  }

  async #kept(instance: string): Promise<readonly RecordSummary[]> {
    const found: RecordSummary[] = [];
    const wanted = { kind: 'checkpoint', parent: instance, status: 'kept' };
    for await (const records of pagesOf((page) => this.#store.list(wanted, page)))
      found.push(...records.filter((record) => !this.#hasExpired(record)));
    return found.toSorted((one, other) => one.updatedAt - other.updatedAt);
  }

  #hasExpired({ timers: [expiry] }: Pick<RecordSummary, 'timers'>): boolean {
    return expiry !== undefined && expiry.at <= this.#now();
  }
}

function summaryOf(instance: string, record: RecordSummary): CheckpointSummary {
  const { id, updatedAt, timers, definition } = record;
  const [expiry] = timers;
  return {
    name: id.slice(checkpointPrefix.length + instance.length + 1),
    savedAt: updatedAt,
    ...(expiry ? { expiresAt: expiry.at } : {}),
    definition: definition!,
  };
}

/** A name that is too long for an id is cut, and told from others by what it was. */
function recordId(instance: string, name: string): string {
  const short = name.length <= longestName ? name : `${name.slice(0, longestName)}~${codeOf(name)}`;
  return `${checkpointPrefix}${instance}/${short}`;
}
