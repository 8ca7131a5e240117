import { join } from 'node:path';
import { type StoreKind, storeFolder, storeKinds } from '../host/stores.ts';
import { type Benchmark, readingsOf } from '../measure.ts';
import { OwnProcess } from '../own-process/own-process.ts';

const inHost = (module: string) => join(import.meta.dirname, '../host', module);

const sampled =
  (module: string, kind: StoreKind, more: { readonly late?: number } = {}) =>
  async () => {
    const settings = { kind, folder: storeFolder(`${module}-${kind}`), ...more };
    const measurement = await OwnProcess.prepared(inHost(module), settings);
    return () => measurement.sample();
  };

/** A turn: receives a message, calls the agent, delivers its answer and stores the receipt. */
export const durableTurn: readonly Benchmark[] = storeKinds.flatMap((kind) =>
  readingsOf(sampled('turn-cost.ts', kind), {
    overFloor: {
      name: `durable turn on ${kind} over appending and flushing the same writes`,
      unit: '×',
      atMost: 2.5,
    },
    overOnce: { name: `durable turn on ${kind} over one append and flush of all`, unit: '×' },
    turn: { name: `durable turn on ${kind}`, unit: 'ms' },
    floor: { name: `appending and flushing the writes of a durable turn on ${kind}`, unit: 'ms' },
    written: { name: `durable turn on ${kind}, written over asked for`, unit: '×' },
  }),
);

/** The cost of traces, which are made while a host takes turns. */
export const tracedTurn: readonly Benchmark[] = storeKinds.flatMap((kind) =>
  readingsOf(sampled('traced-turn.ts', kind), {
    over: { name: `durable turn on ${kind} with traces over one without`, unit: '×', atMost: 1.5 },
  }),
);

const late = 50_000;

export const durableTurnGrowth: readonly Benchmark[] = storeKinds.flatMap((kind) =>
  readingsOf(sampled('turn-growth.ts', kind, { late }), {
    growth: { name: `durable turn ${late} over turn 10 on ${kind}`, unit: '×', atMost: 1.15 },
  }),
);

/** A step writes only its changes, independent of the size of the instance's data. */
export const durableDataGrowth: readonly Benchmark[] = storeKinds.flatMap((kind) =>
  readingsOf(sampled('data-growth.ts', kind), {
    bytes: {
      name: `bytes of a step with 1 MB of data over 1 kB on ${kind}`,
      unit: '×',
      atMost: 1.1,
    },
    time: { name: `step with 1 MB of data over 1 kB on ${kind}`, unit: '×', atMost: 2 },
  }),
);

const rounds = 7;

export const turnOverLangGraph: readonly Benchmark[] = storeKinds.flatMap((kind) =>
  readingsOf(sampled('over-langgraph.ts', kind), {
    at10: {
      name: `durable turn 10 on ${kind} over LangGraph with SqliteSaver`,
      unit: '×',
      atMost: 0.1,
      rounds,
    },
    at500: {
      name: `durable turn 500 on ${kind} over LangGraph with SqliteSaver`,
      unit: '×',
      atMost: 0.01,
      rounds,
    },
    at10InBatches: {
      name: `turn 10 on ${kind}, flushed every 100 ms, over LangGraph with SqliteSaver`,
      unit: '×',
      rounds,
    },
    at500InBatches: {
      name: `turn 500 on ${kind}, flushed every 100 ms, over LangGraph with SqliteSaver`,
      unit: '×',
      rounds,
    },
    theirs10: { name: `turn 10 of LangGraph with SqliteSaver, beside ${kind}`, unit: 'ms', rounds },
    theirs500: {
      name: `turn 500 of LangGraph with SqliteSaver, beside ${kind}`,
      unit: 'ms',
      rounds,
    },
  }),
);

/** Other conversations must not notice that a long one is forked. */
export const forkHold: readonly Benchmark[] = storeKinds.flatMap((kind) =>
  readingsOf(sampled('fork-hold.ts', kind), {
    overAlone: {
      name: `longest hold of the event loop while forking 3,000 steps on ${kind} over the same without`,
      unit: '×',
      atMost: 2,
      rounds,
    },
    beside: {
      name: `longest hold of the event loop while forking 3,000 steps on ${kind}`,
      unit: 'ms',
      rounds,
    },
    alone: { name: `longest hold of the event loop by turns on ${kind}`, unit: 'ms', rounds },
  }),
);
