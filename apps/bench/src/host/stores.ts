import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import type { Json } from '@dramaturg/compiler';
import {
  type FsyncMode,
  lowdbStore,
  sqliteStore,
  type Store,
  type StoreLocation,
} from '@dramaturg/host';
import type { Change } from '@dramaturg/host/store';
import { type Benchmark, type ReadingRow, readingsOf } from '../measure.ts';
import { OwnProcess } from '../own-process/own-process.ts';

/** A write that a host requested from its store. */
export interface CountedWrite {
  /** The size of the host's data as JSON text, without anything that the store adds. */
  readonly bytes: number;
  /** The part of these bytes that is the state of an instance, if any. */
  readonly stateBytes?: number;
  /** Whether the host waits until the device has stored it. */
  readonly isFlushed: boolean;
}

/** Whether a write waits for the device when the store always flushes. A receipt does not: see `Store.acknowledge`. */
const flushedBy: Readonly<Record<string, boolean>> = {
  create: true,
  commit: true,
  acknowledge: false,
};

/**
 * Wraps a store and counts its writes. Each is a separate write to the wrapped store: a turn waits for one write before
 * it requests the next, so no two share a flush.
 */
export function countingStore(location: StoreLocation, writes: CountedWrite[]): StoreLocation {
  return {
    read: () => location.read(),
    open: async (owner) => {
      const store = await location.open(owner);
      return new Proxy(store, {
        get: (_, name) => {
          const method = store[name as keyof Store] as (...args: unknown[]) => unknown;
          if (typeof method !== 'function') return method;
          return (...args: unknown[]) => {
            const flushed = flushedBy[String(name)];
            if (flushed !== undefined) {
              const { snapshot = null, parts = null } = args[0] as Partial<Change>;
              const [bytes, stateBytes] = [args[0], [snapshot, parts]].map(jsonBytes);
              writes.push({ bytes: bytes!, stateBytes: stateBytes!, isFlushed: flushed });
            }
            return method.apply(store, args);
          };
        },
      });
    },
  };
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

export const storeKinds = ['lowdb', 'sqlite'] as const;

export type StoreKind = (typeof storeKinds)[number];

/** The stores of a measurement, as JSON, because it is sent to another process. */
export interface StoreSettings extends Record<string, Json> {
  readonly kind: StoreKind;
  /** A folder that only this measurement uses. */
  readonly folder: string;
}

/** Not in the system's temporary folder, which is in memory on many systems: a flush costs nothing there. */
const parent = join(import.meta.dirname, '../../node_modules/.stores');

let runFolder: string | undefined;

/** Creates a folder that is removed when this process ends. */
export function storeFolder(name: string): string {
  if (runFolder === undefined) {
    mkdirSync(parent, { recursive: true });
    const created = mkdtempSync(join(parent, 'run-'));
    process.on('exit', () => rmSync(created, { recursive: true, force: true, maxRetries: 3 }));
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => process.exit(1));
    runFolder = created;
  }
  const folder = join(runFolder, name);
  mkdirSync(folder);
  return folder;
}

/** @param name distinguishes several stores in one folder */
export function storeAt(
  { kind, folder }: StoreSettings,
  fsync: FsyncMode,
  name = 'store',
): StoreLocation {
  const path = join(folder, name);
  return kind === 'lowdb' ? lowdbStore(path, { fsync }) : sqliteStore(`${path}.db`, { fsync });
}

interface OnStores extends Pick<Benchmark, 'rounds' | 'note'> {
  /** More settings for `prepare`. */
  readonly settings?: Readonly<Record<string, Json>>;
  /** Options of Node. */
  readonly options?: readonly string[];
}

/**
 * Benchmarks of a module, measured in a process of their own for each kind of store.
 *
 * @param module the path of the module, which exports `prepare`
 * @param rows the benchmarks of a kind of store, by the name of their reading
 */
export function onStores(
  module: string,
  rows: (kind: StoreKind) => Readonly<Record<string, ReadingRow>>,
  { settings, options, ...shared }: OnStores = {},
): Benchmark[] {
  return storeKinds.flatMap((kind) => {
    const prepared = async () => {
      const folder = storeFolder(`${basename(module, '.ts')}-${kind}`);
      const measurement = await OwnProcess.prepared(module, { kind, folder, ...settings }, options);
      return () => measurement.sample();
    };
    return readingsOf(prepared, rows(kind), shared);
  });
}

/** A file that is appended to: the lower bound for the cost of durable storage. */
export class PlainFile {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  /** Repeats the writes with the same flushes. It blocks: no other work and no change of thread. */
  write(writes: readonly CountedWrite[]): void {
    for (const { bytes, isFlushed } of writes) {
      writeSync(this.#file, Buffer.alloc(bytes, 'x'));
      if (isFlushed) fdatasyncSync(this.#file);
    }
  }

  /** Writes the same number of bytes with a single flush. */
  writeOnce(writes: readonly CountedWrite[]): void {
    writeSync(this.#file, Buffer.alloc(bytesOf(writes), 'x'));
    fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }
}

export function bytesOf(writes: readonly CountedWrite[]): number {
  return writes.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Returns the duration of a run in milliseconds. */
export async function timed(run: () => Promise<unknown> | void): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The value that this share of the values does not exceed: 0.5 gives the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}
