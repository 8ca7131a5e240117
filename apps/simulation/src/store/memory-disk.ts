import { memoryStore, type Store, StoreError, type StoreLocation } from '@dramaturg/host';
import { type Chance, overriding } from '@dramaturg/testing';
import type { SimulatedProcess } from '../machine/process.ts';
import type { Scheduler } from '../time/scheduler.ts';
import { type Disk, type DiskTrouble, soundDisk } from './file-disk.ts';

/** Without a sign of life for this long, another process may take the store. */
const leaseMs = 8_000;

/**
 * A store in memory with the latency and the troubles of a disk. A write waits for its flush, and is then stored completely and
 * acknowledged, so a crash keeps a prefix. It is the fast disk, and does not simulate files in a power cut.
 */
export class MemoryDisk implements Disk {
  trouble: DiskTrouble = soundDisk;
  readonly #scheduler: Scheduler;
  readonly #chance: Chance;
  readonly #reach: (point: string, process: SimulatedProcess) => void;
  readonly #store: Promise<Store> = memoryStore().open('the simulation');
  #owner: { readonly process: SimulatedProcess; hasFailed: boolean } | undefined;
  #lastFlushAt = 0;

  constructor(
    scheduler: Scheduler,
    chance: Chance,
    reach: (point: string, process: SimulatedProcess) => void,
  ) {
    this.#scheduler = scheduler;
    this.#chance = chance;
    this.#reach = reach;
  }

  place(process: SimulatedProcess): StoreLocation {
    const open = (name: string) => process.await(this.#open(process, name));
    return { open, read: () => open('a reader') };
  }

  cutPower(): void {
    this.#owner = undefined;
  }

  async filesWith(): Promise<readonly string[]> {
    return [];
  }

  async #open(process: SimulatedProcess, name: string): Promise<Store> {
    const former = this.#owner?.process;
    if (former && !former.hasEnded) {
      await this.#scheduler.sleep(leaseMs);
      if (former.isRunning) throw new StoreError('store/owned', `The store is in use, ${name}.`);
    }
    const owner = { process, hasFailed: false };
    this.#owner = owner;
    const store = await this.#store;
    const write = <Result>(apply: () => Promise<Result>) => this.#write(owner, apply);
    return overriding(store, {
      create: (record) => write(() => store.create(record)),
      commit: (change) => write(() => store.commit(change)),
      acknowledge: (receipt) => write(() => store.acknowledge(receipt)),
      delete: (id) => write(() => store.delete(id)),
      read: (id) => process.await(store.read(id)),
      list: (filter, page) => process.await(store.list(filter, page)),
      count: (filter) => process.await(store.count(filter)),
      due: (before, limit) => process.await(store.due(before, limit)),
      pending: (page) => process.await(store.pending(page)),
      journal: (id, range) => process.await(store.journal(id, range)),
      transcript: (id, range) => process.await(store.transcript(id, range)),
      feed: (request) => process.await(store.feed(request)),
      close: async () => {
        if (this.#owner === owner) this.#owner = undefined;
      },
    });
  }

  #write<Result>(
    owner: { readonly process: SimulatedProcess; hasFailed: boolean },
    apply: () => Promise<Result>,
  ): Promise<Result> {
    const { process } = owner;
    const { flushMs, failures, isFull } = this.trouble;
    const flushedAt = this.#scheduler.now + this.#chance.next() * flushMs;
    this.#lastFlushAt = Math.max(this.#lastFlushAt, flushedAt);
    return new Promise((resolve, reject) => {
      const fail = (error: StoreError) => process.enter(() => reject(error));
      this.#scheduler.after(this.#lastFlushAt - this.#scheduler.now, () => {
        this.#reach('write', process);
        if (process.hasEnded) return;
        if (this.#owner !== owner)
          return fail(new StoreError('store/lost', 'Another process has the store.'));
        if (owner.hasFailed) return fail(new StoreError('store/failed', 'A flush has failed.'));
        if (isFull) return fail(new StoreError('store/full', 'The disk is full.'));
        owner.hasFailed = this.#chance.next() < failures;
        if (owner.hasFailed && this.#chance.next() < 0.5)
          return fail(new StoreError('store/failed', 'The flush has failed.'));
        apply().then(
          (result) => {
            this.#reach('written', process);
            if (owner.hasFailed) fail(new StoreError('store/failed', 'The flush has failed.'));
            else process.enter(() => resolve(result));
          },
          (error: unknown) => process.enter(() => reject(error)),
        );
      });
    });
  }
}
