import type { Channel, Host, HostOptions, Store } from '@dramaturg/host';
import type { FileSystem, Letter } from '@dramaturg/host/store';
import { overriding } from '@dramaturg/testing';
import type { Scheduler } from '../time/scheduler.ts';

type HostPorts = NonNullable<HostOptions['ports']>;

/** The tools of a breakage. One context serves all processes of a simulation. */
export interface BreakageContext {
  readonly scheduler: Scheduler;
  /** Keys and ids that the breakage has seen, in any process. */
  readonly seen: Map<string, number>;
}

/** A deliberate bug, inserted between a host and the calls that the oracle observes. The oracle must find each one. */
export interface Breakage {
  readonly does: string;
  /** The kinds of faults that reveal it; all when left out. */
  readonly shownBy?: readonly FaultKind[];
  /** @param processes the number of processes so far, including this one */
  readonly store?: (store: Store, context: BreakageContext, processes: number) => Partial<Store>;
  readonly ports?: (ports: HostPorts, context: BreakageContext) => HostPorts;
  readonly channel?: (channel: Channel, context: BreakageContext) => Channel;
  readonly host?: (host: Host, context: BreakageContext) => Host;
  /** Breaks the files of the lowdb store. */
  readonly files?: (files: FileSystem) => Partial<FileSystem>;
}

export const breakages = {
  'effects-early': {
    does: 'carries out effects before they are stored',
    store: (store) => ({
      commit: async (change) => {
        const stored = store.commit(change);
        stored.catch(() => {});
        return { revision: change.expectedRevision + 1, journalLength: 0, transcriptLength: 0 };
      },
    }),
  },
  'write-lost': {
    does: 'acknowledges every fortieth write without storing it',
    store: (store, { seen }) => ({
      commit: async (change) => {
        if (count(seen, 'commits') % 40 > 0) return store.commit(change);
        return { revision: change.expectedRevision + 1, journalLength: 0, transcriptLength: 0 };
      },
    }),
  },
  'receipt-forgotten': {
    does: 'stores no delivery receipts',
    store: () => ({
      acknowledge: async () => ({ revision: 1, journalLength: 0, transcriptLength: 0 }),
    }),
  },
  'id-unstable': {
    does: 'gives a message another id at each attempt',
    channel: ({ deliver }, { seen }) => ({
      deliver: (message, use) => {
        const attempt = count(seen, message.id);
        return deliver(
          attempt === 1 ? message : { ...message, id: `${message.id}.${attempt}` },
          use,
        );
      },
    }),
  },
  'key-unstable': {
    does: 'gives a call another key when it is repeated',
    ports: (ports, { seen }) =>
      mapPorts(ports, (port, input, call) => {
        const attempt = count(seen, input.key);
        return port(attempt === 1 ? input : { ...input, key: `${input.key}.${attempt}` }, call);
      }),
  },
  'call-forgotten': {
    does: 'does not repeat a call after a crash',
    ports: (ports, { seen }) =>
      mapPorts(ports, (port, input, call) =>
        count(seen, input.key) === 1 ? port(input, call) : new Promise(() => {}),
      ),
  },
  'call-repeated': {
    does: 'makes a call again after its answer is stored',
    ports: (ports, { scheduler }) =>
      mapPorts(ports, async (port, input, call) => {
        const output = await port(input, call);
        scheduler.after(10_000, () => void Promise.resolve(port(input, call)).catch(() => {}));
        return output;
      }),
  },
  'timers-dropped': {
    does: 'fires no timers that an earlier process has set',
    store: (store, { seen }, processes) => ({
      due: async (before, limit) => {
        const due = await store.due(before, limit);
        return due.filter(({ id, key }) => {
          const name = `${id} ${key}`;
          if (!seen.has(name)) seen.set(name, processes);
          return seen.get(name) === processes;
        });
      },
    }),
  },
  'timers-early': {
    does: 'fires timers a minute early',
    store: (store) => ({ due: (before, limit) => store.due(before + 60_000, limit) }),
  },
  'continuation-lost': {
    does: 'stores no letter with which an instance continues',
    store: (store) => ({
      commit: (change) => store.commit({ ...change, effects: withoutContinuation(change.effects) }),
      create: (record) => store.create({ ...record, outbox: withoutContinuation(record.outbox) }),
    }),
  },
  'order-swapped': {
    does: 'handles messages that arrive together in the opposite order',
    host: (host, { scheduler, seen }) =>
      overriding(host, {
        receive: async (message) => {
          if (count(seen, message.contact) % 2 === 1) await scheduler.sleep(200);
          return host.receive(message);
        },
      }),
  },
  'dedupe-off': {
    does: 'accepts a repeated message again',
    host: (host) => overriding(host, { receive: ({ id: _id, ...rest }) => host.receive(rest) }),
  },
  'queue-stuck': {
    does: 'calls up no instance that waits for its contact',
    store: (store) => ({
      list: async (filter, page) => {
        const found = await store.list(filter, page);
        if (filter.contact === undefined) return found;
        return { ...found, items: found.items.filter(({ status }) => status !== 'QUEUED') };
      },
    }),
  },
  'contact-shared': {
    does: 'lets two instances hold one contact',
    store: (store) => ({
      list: async (filter, page) =>
        filter.contact !== undefined && filter.ended === false
          ? { items: [] }
          : store.list(filter, page),
    }),
  },
  'owners-two': {
    does: 'lets a host that has lost the store pretend that it still writes',
    shownBy: ['takeover'],
    store: (store) => ({
      commit: (change) =>
        store.commit(change).catch((error: { code?: string }) => {
          if (error.code !== 'store/lost') throw error;
          return { revision: change.expectedRevision + 1, journalLength: 0, transcriptLength: 0 };
        }),
    }),
  },
  'flush-skipped': {
    does: 'flushes no file',
    shownBy: ['power'],
    files: (files) => ({
      open: async (path, mode) =>
        overriding(await files.open(path, mode), { flush: async () => {} }),
    }),
  },
  'names-unflushed': {
    does: 'flushes no names of files',
    shownBy: ['power'],
    files: () => ({ flushFolder: async () => {} }),
  },
} as const satisfies Record<string, Breakage>;

export type BreakageName = keyof typeof breakages;

export const breakageNames = Object.keys(breakages) as BreakageName[];

function withoutContinuation(letters: readonly Letter[] = []): readonly Letter[] {
  return letters.filter(({ id }) => id !== 'continuation');
}

type AnyPort = (input: { readonly key: string }, call: never) => Promise<unknown>;

function mapPorts(
  ports: HostPorts,
  broken: (port: AnyPort, input: { readonly key: string }, call: never) => unknown,
): HostPorts {
  return Object.fromEntries(
    Object.entries(ports).map(([name, port]) => [
      name,
      // Charts do not make these calls.
      name === 'forget' || name === 'memoriesOf' || typeof port !== 'function'
        ? port
        : (input: { readonly key: string }, call: never) => broken(port, input, call),
    ]),
  );
}

/** Counts the visits of a name, including this one. */
function count(seen: Map<string, number>, name: string): number {
  const visits = (seen.get(name) ?? 0) + 1;
  seen.set(name, visits);
  return visits;
}

/** The kinds of faults, with their effects. `--only` and `--without` use their names. */
export const faultKinds = {
  kill: 'the process dies; the system keeps what it wrote',
  power: 'the machine loses power; unflushed writes are lost, torn or reordered',
  stop: 'an operator stops and starts the host',
  freeze: 'the process is suspended for seconds to an hour, and continues',
  takeover: 'a frozen host is replaced by another one, and continues later',
  clock: 'the time of day is set forward or back',
  outage: 'the channel is down for hours',
  channel: 'deliveries fail, time out, or are accepted and then fail',
  model: 'calls fail, are slow, or are never answered',
  disk: 'writes and flushes fail or are slow, or the disk is full',
  operator: 'people pause, resume, cancel and write by hand',
} as const;

export type FaultKind = keyof typeof faultKinds;

export const allFaultKinds = Object.keys(faultKinds) as FaultKind[];
