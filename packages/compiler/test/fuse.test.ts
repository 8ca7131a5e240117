import fc from 'fast-check';
import { type AnyStateMachine, createActor, type Snapshot, StateMachine } from 'xstate';
import { describe, expect, test, vi } from 'vitest';
import { type Chart, link, type LinkOptions, type Ports, providePorts } from '../src/index.ts';
import type { ChartNode } from '../src/entries/chart.ts';
import type { Scope } from '../src/entries/format.ts';
import {
  atOnce,
  type Behaviour,
  goOnEvent,
  isCut,
  linking,
  realWorld,
} from '../src/entries/machine.ts';
import { nodesOf } from '../src/chart/graph.ts';
import { counting, events, port, randomChart } from './random-chart.ts';
import { runsAll, scaled } from '../../../.config/scaled.ts';

function machineOf(chart: Chart, behaviour: Behaviour, options: LinkOptions = {}) {
  return providePorts(link(chart, behaviour, options), port);
}

/** An actor with everything that can be observed from outside. */
class Observed {
  readonly heard: unknown[] = [];
  microsteps = 0;
  cuts = 0;
  readonly #actor;

  constructor(machine: ReturnType<typeof machineOf>, snapshot?: Snapshot<unknown>) {
    this.#actor = createActor(machine, {
      ...(snapshot ? { snapshot } : {}),
      inspect: ({ type }) => {
        if (type === '@xstate.microstep') this.microsteps += 1;
      },
    });
    this.#actor.on('*', (event) => this.heard.push(event));
    this.#actor.subscribe({
      next: (current) => {
        if (!isCut(machine, current)) return;
        this.cuts += 1;
        this.#actor.send(goOnEvent);
      },
      error: (error) => this.heard.push(error),
    });
    this.#actor.start();
  }

  send(type: string): void {
    if (this.#actor.getSnapshot().status === 'active') this.#actor.send({ type });
  }

  /** What a host can ask of the snapshot, besides what is stored of it. */
  asked(): unknown {
    const snapshot = this.#actor.getSnapshot();
    const { value, status, tags, machine } = snapshot;
    const can = events.filter((type) => snapshot.can({ type }));
    // XState puts the tags of regions in the order in which the regions were entered last; nobody asks for that.
    const asked = [...tags].toSorted();
    return [value, status, asked, snapshot.getMeta(), snapshot.matches(value), machine.id, can];
  }

  stored(): Snapshot<unknown> {
    return JSON.parse(JSON.stringify(this.#actor.getPersistedSnapshot())) as Snapshot<unknown>;
  }

  stop(): Snapshot<unknown> {
    const stored = this.stored();
    this.#actor.stop();
    return stored;
  }
}

/** Lets every call that is in flight be answered. */
const quiet = () => new Promise((resolve) => setImmediate(resolve));

/** Each step of it is cut after every second microstep. */
function cutMachineOf(chart: Chart, behaviour: Behaviour) {
  const options = { microstepsPerPart: 2 };
  return providePorts(atOnce(linking(chart, behaviour, options)), port);
}

test('a fused machine goes where the unfused goes, does what it does, and each reads what the other has stored', async () => {
  // XState says when an answer comes too late for a machine that has come to its end.
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const steps = { fused: 0, unfused: 0, cuts: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.gen(),
      fc.array(fc.nat(2 * events.length), { minLength: 1, maxLength: 8 }),
      async (gen, script) => {
        const chart = randomChart(gen, fc);
        // An answer that comes from elsewhere finds a call that is still being made.
        const answers = nodesOf(chart).flatMap(({ invoke = [] }) =>
          invoke.map(({ id }) => `xstate.done.actor.${id}`),
        );
        const all = [...events, ...answers];
        const machines = {
          fused: machineOf(chart, counting),
          unfused: machineOf(chart, counting, { fuse: false }),
        };
        let fused = new Observed(machines.fused);
        let unfused = new Observed(machines.unfused);
        let cut = new Observed(cutMachineOf(chart, counting));
        const compare = async () => {
          await quiet();
          expect(cut.heard).toEqual(unfused.heard);
          expect(cut.stored()).toEqual(unfused.stored());
          expect(fused.heard).toEqual(unfused.heard);
          expect(fused.asked()).toEqual(unfused.asked());
          expect(fused.stored()).toEqual(unfused.stored());
        };
        await compare();
        for (const [index, number] of script.entries()) {
          const type = all[number % all.length]!;
          fused.send(type);
          unfused.send(type);
          cut.send(type);
          await compare();
          if (index % 2 === 0) continue;
          steps.fused += fused.microsteps;
          steps.unfused += unfused.microsteps;
          steps.cuts += cut.cuts;
          const [a, b, c] = [fused.stop(), unfused.stop(), cut.stop()];
          fused = new Observed(machines.fused, b);
          unfused = new Observed(machines.unfused, a);
          cut = new Observed(cutMachineOf(chart, counting), c);
          await compare();
        }
      },
    ),
    // A chart made smaller is another chart: what has failed first is said, with its seed, before the time is over.
    { numRuns: scaled(300), endOnFailure: true },
  );
  // Proves that there was a fast path at all, and that steps were cut.
  expect(steps.cuts).toBeGreaterThan(20);
  expect(steps.fused).toBeLessThan(steps.unfused * 0.5);
});

/** Nodes that count, call and tell, put together by each test. */
const tallying: Behaviour = {
  contexts: { none: ({ input }) => ({ count: 0, ...(input as object) }) },
  guards: {
    isBelow: ({ context }, { limit }: { limit: number }) => context.count < limit,
    isAt: ({ context }, { place }: { place: number }) => context.count === place,
  },
  actions: {
    tally: ({ context, world }) => ({
      context: { count: context.count + 1 },
      emit: [{ type: 'tallied', count: context.count + 1, id: world.uuid() }],
    }),
    again: () => ({ raise: [{ type: 'again' }] }),
    nudge: () => ({ send: [{ to: 'task', event: { type: 'nudged' } }] }),
    fail: ({ event }) => ({ context: { failure: event.error.message } }),
  },
  inputs: { task: ({ context }) => ({ key: `call ${context.count}`, agent: 'a', input: null }) },
  outputs: { count: ({ context }) => context },
};

function tallyChart(initial: string, states: Readonly<Record<string, ChartNode>>): Chart {
  return {
    chart: 1,
    format: 'tallying',
    id: 'tally',
    context: { type: 'none' },
    output: { type: 'count' },
    initial,
    states,
  };
}

const tally = { type: 'tally' };
const passing = (target: string): ChartNode => ({ entry: [tally], always: [{ target }] });
const end: ChartNode = { type: 'final' };

/** How many microsteps an actor needs to come to its end, and what it ends with. */
async function ran(
  chart: Chart,
  { options, ports = {}, behaviour = tallying }: RunOptions = {},
): Promise<{ steps: number; output: unknown; heard: unknown[]; error: unknown }> {
  let steps = 0;
  const heard: unknown[] = [];
  const actor = createActor(providePorts(link(chart, behaviour, options), ports), {
    inspect: ({ type }) => {
      if (type === '@xstate.microstep') steps += 1;
    },
  });
  actor.on('*', (event) => heard.push(event));
  let error: unknown;
  actor.subscribe({
    error: (thrown) => {
      error = thrown;
    },
  });
  actor.start();
  await quiet();
  return { steps, output: actor.getSnapshot().output, heard, error };
}

interface RunOptions {
  readonly options?: LinkOptions;
  readonly ports?: Partial<Ports>;
  readonly behaviour?: Behaviour;
}

describe('a run of states that need nothing from outside', () => {
  const chain = tallyChart('a', { a: passing('b'), b: passing('c'), c: passing('end'), end });

  test('takes no step of its own', async () => {
    expect(await ran(chain)).toMatchObject({ steps: 0, output: { count: 3 } });
  });

  test('is a step a state when the host wants it so', async () => {
    expect((await ran(chain, { options: { fuse: false } })).steps).toBe(3);
  });

  test('is computed once, although several guards ask where it ends', () => {
    let ids = 0;
    const world = { ...realWorld, uuid: () => `id ${(ids += 1)}` };
    const ways = [1, 2, 3].map((place) => ({
      target: `end${place}`,
      guard: { type: 'isAt', params: { place } },
    }));
    const chart = tallyChart('rest', {
      rest: { on: { go: [{ target: 'b' }] } },
      b: passing('choice'),
      choice: { entry: [tally], always: [...ways, { target: 'end' }] },
      end1: end,
      end2: end,
      end3: end,
      end,
    });
    const actor = createActor(link(chart, tallying, { world }));
    const heard: unknown[] = [];
    actor.on('*', (event) => heard.push(event));
    actor.start().send({ type: 'go' });
    expect(heard).toEqual([1, 2].map((count) => ({ type: 'tallied', count, id: `id ${count}` })));
    expect(actor.getSnapshot().value).toBe('end2');
  });

  test('is worked out anew each time, also for the same event', () => {
    const chart = tallyChart('rest', {
      rest: { on: { go: [{ target: 'a' }] } },
      a: {
        entry: [tally],
        always: [
          { target: 'even', guard: { type: 'isAt', params: { place: 2 } } },
          { target: 'rest' },
        ],
      },
      even: { on: { go: [{ target: 'a' }] } },
    });
    const actor = createActor(link(chart, tallying)).start();
    const go = { type: 'go' };
    const values = [1, 2, 3].map(() => {
      actor.send(go);
      return actor.getSnapshot().value;
    });
    expect([values, actor.getSnapshot().context.count]).toEqual([['rest', 'even', 'rest'], 3]);
  });

  test('without an end fails with an error', async ({ skip }) => {
    skip(!runsAll);
    const more = { target: 'a', guard: { type: 'isBelow', params: { limit: 1e9 } } };
    const silent = {
      ...tallying.actions,
      tally: ({ context }: Scope) => ({ context: { count: context.count + 1 } }),
    };
    const chart = tallyChart('a', {
      a: passing('b'),
      b: { entry: [tally], always: [more, { target: 'end' }] },
      end,
    });
    const behaviour = { ...tallying, actions: silent };
    for (const options of [{}, { fuse: false }]) {
      const { error } = await ran(chart, { behaviour, options });
      expect(String(error)).toMatch(/Infinite loop detected: .* more than 100000 microsteps/);
    }
  });

  test('may end where it began: the call is made anew', async () => {
    const keys: string[] = [];
    const runAgent = ({ key }: { key: string }) => {
      keys.push(key);
      return { result: null };
    };
    const chart = tallyChart('ask', {
      ask: {
        invoke: [
          {
            id: 'task',
            src: 'runAgent',
            input: { type: 'task' },
            onDone: [{ target: 'check' }],
            onError: [],
          },
        ],
      },
      check: {
        entry: [tally],
        always: [
          { target: 'ask', guard: { type: 'isBelow', params: { limit: 3 } } },
          { target: 'end' },
        ],
      },
      end,
    });
    const { output } = await ran(chart, { ports: { runAgent } });
    expect([keys, output]).toEqual([['call 0', 'call 1', 'call 2'], { count: 3 }]);
  });

  test('may raise and send events: they come in order, once it has come to rest', async () => {
    const chart = tallyChart('a', {
      a: { entry: [tally, { type: 'again' }], always: [{ target: 'b' }] },
      b: { entry: [tally, { type: 'again' }], always: [{ target: 'rest' }] },
      rest: { on: { again: [{ target: 'rest2', actions: [tally] }] } },
      rest2: { on: { again: [{ target: 'end', actions: [tally] }] } },
      end,
    });
    const fused = await ran(chart);
    const unfused = await ran(chart, { options: { fuse: false } });
    expect([fused.output, fused.steps, unfused.steps]).toEqual([{ count: 4 }, 0, 4]);
    expect(fused.heard.map((event) => (event as { count: number }).count)).toEqual([1, 2, 3, 4]);
  });

  test('draws the same random values again when XState has to take the step in the end', async () => {
    const regions: ChartNode = { type: 'parallel', states: { one: { entry: [tally] } } };
    const chart = tallyChart('a', { a: passing('b'), b: passing('regions'), regions });
    const idsOf = async (options: LinkOptions) => {
      let ids = 0;
      const world = { ...realWorld, uuid: () => `id ${(ids += 1)}` };
      const { heard } = await ran(chart, { options: { ...options, world } });
      return heard.map((event) => (event as { id: string }).id);
    };
    expect(await idsOf({})).toEqual(['id 1', 'id 2', 'id 3']);
    expect(await idsOf({ fuse: false })).toEqual(['id 1', 'id 2', 'id 3']);
  });

  test('that sends to an actor which does not run is the error that XState makes of it', async () => {
    const chart = tallyChart('a', {
      a: passing('b'),
      b: { entry: [{ type: 'nudge' }], always: [{ target: 'end' }] },
      end,
    });
    const [fused, unfused] = [await ran(chart), await ran(chart, { options: { fuse: false } })];
    expect(fused.error).toEqual(unfused.error);
    expect(String(fused.error)).toMatch(/Unable to send event to actor 'task'/);
  });
});

test('nodes that are made when they are read are those that XState makes with the machine', () => {
  const XStateMachine = StateMachine as unknown as new (...given: unknown[]) => AnyStateMachine;
  fc.assert(
    fc.property(fc.gen(), (gen) => {
      const machine = link(randomChart(gen, fc), counting);
      const expected = new XStateMachine(machine.config, machine.implementations);
      const nodesIn = (node: AnyStateMachine['root']): AnyStateMachine['root'][] => [
        node,
        ...Object.values(node.states).flatMap(nodesIn),
      ];
      const seen = (node: AnyStateMachine['root']) => [
        [node.id, node.key, node.path, node.type, node.order, node.tags, node.parent?.id],
        JSON.stringify([node.initial, node.always]),
        [...node.transitions.keys()],
      ];
      const nodes = nodesIn(expected.root);
      // Found by its id first, before the nodes around it are made.
      const last = nodes.findLast(({ config }) => config.id !== undefined)!;
      expect(seen(machine.getStateNodeById(`#${last.id}`))).toEqual(seen(last));
      expect(nodesIn(machine.root).map(seen)).toEqual(nodes.map(seen));
      expect(JSON.stringify(machine)).toBe(JSON.stringify(expected));
      expect(machine.events).toEqual(expected.events);
    }),
    { numRuns: scaled(500) },
  );
});
