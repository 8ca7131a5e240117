import type { AnyActorLogic, AnyStateMachine } from 'xstate';
import type { Chart, ChartInvoke, NodeMeta, Reference } from '../chart/chart.ts';
import { defaultIdOf, graphing, type GraphNode } from '../chart/graph.ts';
import { DramaturgError } from '../error.ts';
import { atOnce, type Sliced } from '../sliced.ts';
import { unprovidedPorts } from '../ports/provide.ts';
import type { Action, Behaviour, InputMaker, Scope } from './behaviour.ts';
import { EachLogic } from './each.ts';
import { actionOf } from './effects.ts';
import { Branches } from './fuse/branch.ts';
import type { LinkedCall } from './fuse/microstep.ts';
import { RepeatableWorld } from './fuse/repeatable-world.ts';
import { CodeBinder } from './fuse/execution.ts';
import type { ConfigOf } from './lazy-node.ts';
import { lazyRecord } from './lazy-node.ts';
import { LinkedMachine } from './machine.ts';
import { missingNames } from './names.ts';
import { type Pause, pausesIn } from './pauses.ts';
import { realWorld, type World } from './world.ts';

export interface LinkOptions {
  /** The sources of time and chance; the real ones when absent. */
  readonly world?: World | undefined;
  /** `false` leaves every step to XState, so that an inspector sees every microstep. By default most steps take a fast path. */
  readonly fuse?: boolean | undefined;
  /** Actor logic by the name of its port, also for items. By default each call fails, until `providePorts` provides its port. */
  readonly actors?: Readonly<Record<string, AnyActorLogic>> | undefined;
  /**
   * `false` leaves `reply` out of the inputs of `extract` and `choose`: no port wants it (`PortWishes`). By default it is
   * there, because ports are provided only later.
   */
  readonly nextReplies?: boolean | undefined;
  /** How supervisors of many items pause. By default they continue by themselves, and let the event loop run in between. */
  readonly pause?: Pause | undefined;
}

/**
 * A chart names code that its behaviour does not have. Lists all missing names.
 *
 * @example
 * ```ts
 * const { chart } = compile(text, { formats: [plan] });
 * try {
 *   link(chart!, { ...plan.behaviour, actions: {} });
 * } catch (error) {
 *   if (error instanceof LinkError) console.log(error.missing[0]); // → action address
 * }
 * ```
 */
export class LinkError extends DramaturgError<'link/unknown-name'> {
  override readonly name = 'LinkError';
  readonly missing: readonly string[];

  constructor(chart: Chart, missing: readonly string[]) {
    super(
      'link/unknown-name',
      `The chart "${chart.id}" uses names that the behaviour of "${chart.format}" does not have: ${missing.join(', ')}.`,
    );
    this.missing = missing;
  }
}

/**
 * Binds the names of a chart to code. Calls of ports fail until `providePorts` provides them, unless `actors` has them.
 *
 * Charts inside it that run for items are linked too, each as actor logic that its node invokes.
 *
 * @throws LinkError with every missing name, before anything runs: XState itself skips an unknown action silently
 * @throws ChartError when a target does not name a node
 * @example
 * ```ts
 * const { chart } = compile(text, { formats: [plan] });
 * const machine = link(fromJson(toJson(chart!)), plan.behaviour);
 * console.log(machine.id); // → customer-intake-and-support
 * ```
 */
export function link(
  chart: Chart,
  behaviour: Behaviour,
  options: LinkOptions = {},
): AnyStateMachine {
  return atOnce(linking(chart, behaviour, options));
}

interface LinkingOptions extends LinkOptions {
  /**
   * The number of microsteps after which a step is cut, so that other work may run before `goOnEvent` continues it. By default
   * steps are not cut. Those of items are never cut.
   */
  readonly microstepsPerPart?: number | undefined;
}

/** As `link`. */
export function* linking(
  chart: Chart,
  behaviour: Behaviour,
  options: LinkingOptions,
): Sliced<AnyStateMachine> {
  const missing = yield* missingNames(chart, behaviour);
  if (missing.length > 0) throw new LinkError(chart, missing);
  return yield* linkedMachine(chart, behaviour, options);
}

/** XState keeps the snapshots of all microsteps of a step, so an endless loop would exhaust the memory. */
const mostMicrosteps = 100_000;

function* linkedMachine(
  chart: Chart,
  behaviour: Behaviour,
  options: LinkingOptions,
): Sliced<LinkedMachine> {
  const { world = realWorld, fuse = true, actors, pause = pausesIn(world) } = options;
  const inputs = options.nextReplies === false ? behaviour.inputs : withNextReplies(behaviour);
  const nodes = yield* graphing(chart);
  const surroundings = { meta: metaById(nodes), world: new RepeatableWorld(world) };

  const { configOf, calls, charts } = linkedNodes(nodes, ({ type, params = {} }) => {
    const make = inputs[type]!;
    return ({ context, event }) => make({ context, event, ...surroundings }, params);
  });
  const items: [string, EachLogic][] = [];
  for (const [src, nested] of charts) {
    yield;
    const ofItems = { ...options, pause, microstepsPerPart: undefined };
    const machine = yield* linkedMachine(nested, behaviour, ofItems);
    items.push([src, new EachLogic(machine, pause)]);
  }
  const context = behaviour.contexts[chart.context.type]!;
  const output = behaviour.outputs[chart.output.type]!;
  const makeOutput = (scope: Pick<Scope, 'context'>) =>
    output({ context: scope.context, ...surroundings }, chart.output.params ?? {});
  Object.assign(configOf(nodes[0]!), {
    version: String(chart.chart),
    options: { maxIterations: mostMicrosteps },
    context: ({ input }: { input: unknown }) =>
      context({ input, ...surroundings }, chart.context.params ?? {}),
    output: makeOutput,
  });
  const implementations = {
    guards: mapValues(
      behaviour.guards,
      (guard) => (scope: Scope, params: unknown) =>
        guard({ context: scope.context, event: scope.event, ...surroundings }, params ?? {}),
    ),
    actions: mapValues(behaviour.actions, (action) => linkedAction(action, surroundings)),
    actors: {
      ...unprovidedPorts,
      ...actors,
      ...Object.fromEntries(items),
    },
  };
  const parts = {
    nodes,
    code: new CodeBinder(behaviour),
    calls,
    output: makeOutput,
    surroundings,
    microstepsMax: mostMicrosteps,
    microstepsPerPart: options.microstepsPerPart ?? Infinity,
  };
  const { agent } = behaviour;
  return new LinkedMachine(implementations, {
    nodes,
    configOf,
    ...(fuse && { branches: new Branches(parts) }),
    ...(agent && { agent }),
  });
}

/** The inputs of a behaviour, with `reply` where it can be predicted. */
function withNextReplies({ inputs, nextReplies = {} }: Behaviour): Behaviour['inputs'] {
  const foreseeing = mapValues(nextReplies, (foresee, name): InputMaker => (scope, params) => {
    const input = inputs[name]!(scope, params);
    const reply = foresee(scope);
    return reply ? { ...input, reply } : input;
  });
  return { ...inputs, ...foreseeing };
}

function linkedAction(action: Action, surroundings: Pick<Scope, 'meta' | 'world'>): unknown {
  return actionOf(({ context, event }, params) =>
    action({ context, event, ...surroundings }, params ?? {}),
  );
}

function metaById(nodes: readonly GraphNode[]): ReadonlyMap<string, NodeMeta> {
  const meta = new Map<string, NodeMeta>();
  for (const { node } of nodes) {
    if (node.id !== undefined && node.meta) meta.set(node.id, node.meta);
  }
  return meta;
}

function mapValues<Value, Mapped>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value, key: string) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

/** The nodes of a chart as an XState config. */
interface LinkedNodes {
  /** `states` of a config are made when they are first read. */
  readonly configOf: ConfigOf;
  readonly calls: ReadonlyMap<GraphNode, readonly LinkedCall[]>;
  /** The charts that run for items, by the actor source that replaces them in the config. */
  readonly charts: ReadonlyMap<string, Chart>;
}

function linkedNodes(
  nodes: readonly GraphNode[],
  inputOf: (reference: Reference) => LinkedCall['input'],
): LinkedNodes {
  const calls = new Map<GraphNode, readonly LinkedCall[]>();
  const charts = new Map<string, Chart>();
  // The input becomes a function, because XState would pass the reference itself as the input.
  const linkedCall = ({ chart, ...call }: ChartInvoke, placed: GraphNode): LinkedCall => {
    const input = inputOf(call.input);
    if (!chart) return { ...call, input };
    const src = `each:${defaultIdOf(placed)}:${call.id}`;
    charts.set(src, chart);
    return { ...call, src, input };
  };
  for (const placed of nodes) {
    const { invoke } = placed.node;
    if (invoke)
      calls.set(
        placed,
        invoke.map((call) => linkedCall(call, placed)),
      );
  }
  const configs = new Map<GraphNode, object>();
  const configOf = (placed: GraphNode): object => {
    const known = configs.get(placed);
    if (known) return known;
    const { invoke: _invoke, states, ...rest } = placed.node;
    const called = calls.get(placed);
    const config = { ...rest, ...(called && { invoke: called }) };
    configs.set(placed, config);
    if (!states) return config;
    let made: object | undefined;
    return Object.defineProperty(config, 'states', {
      enumerable: true,
      get: () => (made ??= lazyRecord(placed.children, configOf)),
    });
  };
  return { configOf, calls, charts };
}
