/* oxlint-disable typescript/no-explicit-any -- As the context of a behaviour. */
import { type Chart, isRecord, type Json, type JsonObject } from '../src/index.ts';
import type { ChartNode } from '../src/entries/chart.ts';
import type { EachInput, ItemStart } from '../src/entries/format.ts';
import type { Behaviour } from '../src/entries/machine.ts';

/** A chart that works on items: each is handed to the port `runAgent`, or waits for an event. */

export interface BatchInput {
  readonly items: readonly Json[];
  readonly concurrency?: number;
  readonly tolerated?: number | null;
  readonly tally?: EachInput['tally'];
}

export const batch: Behaviour = {
  contexts: {
    batch: ({ input }) => itemIn(input),
    item: ({ input, world }) => ({ item: itemIn(input), startedAt: world.now() }),
  },
  guards: { isRight: ({ context }) => context.item.check.right },
  actions: {
    keep: ({ event }) => ({ context: { result: event.output } }),
    fail: ({ event }) => ({ context: { result: null, failure: event.error.message } }),
    tell: ({ context }, { what }: { what: string }) => ({
      emit: [{ type: what, item: context.item, at: context.startedAt }],
    }),
    handOn: ({ event }) => ({
      send: [
        { to: 'items', event: { type: 'each.forward', index: event.index, event: event.event } },
      ],
    }),
    take: ({ event }) => ({ context: { result: { result: event.value } } }),
    pass: ({ context }) => ({ context: { result: { result: context.item } } }),
  },
  inputs: {
    items: ({ context }): EachInput => ({ concurrency: 0, tolerated: 0, ...pick(context) }),
    task: ({ context }) => ({
      key: `item/${JSON.stringify(context.item)}`,
      agent: 'work',
      input: context.item,
    }),
  },
  outputs: {
    result: ({ context }) => context.result,
    item: ({ context }) =>
      context.failure === undefined
        ? context.result.result
        : { status: 'failed', error: context.failure },
  },
};

/** The item of a list, with its tally; an item that runs alone is the input itself. */
function itemIn(input: unknown): any {
  if (!isRecord(input) || !('index' in input)) return input;
  const { item, tally } = input as unknown as ItemStart;
  return tally ? { ...(item as JsonObject), tally } : item;
}

function pick({
  items,
  concurrency,
  tolerated,
  tally,
}: BatchInput): Partial<EachInput> & Pick<EachInput, 'items'> {
  return {
    items,
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(tolerated === undefined ? {} : { tolerated }),
    ...(tally && { tally }),
  };
}

/** Runs a chart for each item and ends with what came of all of them. */
export function batchOf(chart: Chart, node: ChartNode = {}): Chart {
  return {
    chart: 1,
    format: 'batch',
    id: 'batch',
    context: { type: 'batch' },
    output: { type: 'result' },
    initial: 'working',
    states: {
      working: {
        id: 'working',
        on: { hand: [{ actions: [{ type: 'handOn' }] }], stop: [{ target: 'end' }] },
        ...node,
        invoke: [
          {
            id: 'items',
            src: 'each',
            chart,
            input: { type: 'items' },
            onDone: [{ target: 'end', actions: [{ type: 'keep' }] }],
            onError: [],
          },
        ],
      },
      end: { type: 'final' },
    },
  };
}

/** Asks `runAgent`, and tells before and after. */
export const asking: Chart = itemChart('asking', {
  asking: {
    entry: [{ type: 'tell', params: { what: 'begun' } }],
    invoke: [
      {
        id: 'task',
        src: 'runAgent',
        input: { type: 'task' },
        onDone: [{ target: 'told', actions: [{ type: 'keep' }] }],
        onError: [{ target: 'end', actions: [{ type: 'fail' }] }],
      },
    ],
  },
  told: { entry: [{ type: 'tell', params: { what: 'ended' } }], always: [{ target: 'end' }] },
});

/** Waits until it is given a value. */
export const waiting: Chart = itemChart('waiting', {
  waiting: { on: { give: [{ target: 'end', actions: [{ type: 'take' }] }] } },
});

/** Ends at once; an item without anything to check breaks it. */
export const checking: Chart = itemChart('checking', {
  checking: {
    always: [
      { target: 'end', guard: { type: 'isRight' }, actions: [{ type: 'pass' }] },
      { target: 'checking' },
    ],
  },
});

export function itemChart(initial: string, states: Readonly<Record<string, ChartNode>>): Chart {
  return {
    chart: 1,
    format: 'batch',
    id: 'item',
    context: { type: 'item' },
    output: { type: 'item' },
    initial,
    states: { ...states, end: { type: 'final' } },
  };
}
