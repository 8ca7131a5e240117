import { type AnyActorLogic, type AnyStateMachine, createMachine } from 'xstate';
import type { Chart, ChartInvoke, NodeMeta } from '../chart/chart.ts';
import { chartGraph, type Edge, type GraphNode } from '../chart/graph.ts';
import { nodesOf, withTransitions } from '../chart/walk.ts';
import { unprovidedPorts } from '../ports/provide.ts';
import type { Action, Behaviour, Scope } from './behaviour.ts';
import { EachLogic } from './each.ts';
import { actionOf } from './effects.ts';
import { fusedTransitions } from './fuse/fuse.ts';
import { nameUse } from './names.ts';
import { realWorld, type World } from './world.ts';

export interface LinkOptions {
  /** Where time and chance come from; the real ones when left out. */
  readonly world?: World | undefined;
  /** False keeps every state a step of its own, also where the format allows to fuse runs of them. */
  readonly fuse?: boolean | undefined;
}

/** A chart names code that its behaviour does not have. All missing names are listed. */
export class LinkError extends Error {
  override readonly name = 'LinkError';
  readonly code = 'link/unknown-name';
  readonly missing: readonly string[];

  constructor(chart: Chart, missing: readonly string[]) {
    super(
      `The chart "${chart.id}" names what the behaviour of "${chart.format}" does not have: ${missing.join(', ')}.`,
    );
    this.missing = missing;
  }
}

/**
 * Binds the names of a chart to code. The machine's ports answer with an error until `providePorts` gives them.
 *
 * The charts within it that run for items are linked with it, each as actor logic that its node invokes.
 *
 * @throws LinkError with every missing name, before anything runs: XState itself skips an unknown action in silence
 * @throws ChartError when a target names no node
 */
export function link(
  chart: Chart,
  behaviour: Behaviour,
  options: LinkOptions = {},
): AnyStateMachine {
  const { missing } = nameUse(chart, behaviour);
  if (missing.length > 0) throw new LinkError(chart, missing);
  return linkedMachine(chart, behaviour, options);
}

/** XState keeps the snapshots of all steps until it comes to rest, so a loop without end would exhaust the memory. */
const mostMicrosteps = 100_000;

function linkedMachine(chart: Chart, behaviour: Behaviour, options: LinkOptions): AnyStateMachine {
  const { world = realWorld, fuse = true } = options;
  const surroundings = { meta: metaById(chart), world };
  const nodes = chartGraph(chart);
  const fused =
    fuse && behaviour.independentRegions
      ? fusedTransitions(nodes, behaviour, surroundings)
      : new Map<Edge, readonly object[]>();
  const makeContext = behaviour.contexts[chart.context.type]!;
  const makeOutput = behaviour.outputs[chart.output.type]!;
  const actors: Record<string, AnyActorLogic> = { ...unprovidedPorts };

  const linkedNode = ({ node, lists, children }: GraphNode, path: string): object => {
    const transitions = lists.map(({ edges }) =>
      edges.flatMap((edge) => fused.get(edge) ?? [edge.transition]),
    );
    const { invoke, ...rest } = withTransitions(node, transitions);
    const states = children.map((child) => [child.key, linkedNode(child, `${path}.${child.key}`)]);
    return {
      ...rest,
      ...(invoke ? { invoke: invoke.map((call) => linkedInvoke(call, path)) } : {}),
      ...(node.states ? { states: Object.fromEntries(states) } : {}),
    };
  };
  /** The input becomes a function, because XState passes a static one through as written. */
  const linkedInvoke = ({ chart: nested, ...call }: ChartInvoke, path: string): object => {
    const make = behaviour.inputs[call.input.type]!;
    const { params = {} } = call.input;
    const input = ({ context, event }: Scope) => make({ context, event, ...surroundings }, params);
    if (!nested) return { ...call, input };
    const src = `each:${path}:${call.id}`;
    actors[src] = new EachLogic(linkedMachine(nested, behaviour, options));
    return { ...call, src, input };
  };

  const config = {
    ...linkedNode(nodes[0]!, chart.id),
    version: String(chart.chart),
    options: { maxIterations: mostMicrosteps },
    context: ({ input }: { input: unknown }) =>
      makeContext({ input, ...surroundings }, chart.context.params ?? {}),
    output: (scope: { context: unknown }) =>
      makeOutput({ context: scope.context, ...surroundings }, chart.output.params ?? {}),
  };
  return createMachine(config as never, {
    guards: mapValues(
      behaviour.guards,
      (guard) => (scope: Scope, params: unknown) =>
        guard({ context: scope.context, event: scope.event, ...surroundings }, params ?? {}),
    ) as never,
    actions: mapValues(behaviour.actions, (action) => linkedAction(action, surroundings)) as never,
    actors: actors as never,
  });
}

function linkedAction(action: Action, surroundings: Pick<Scope, 'meta' | 'world'>): unknown {
  return actionOf(({ context, event }, params) => {
    const effects = action({ context, event, ...surroundings }, params ?? {});
    return { patch: effects.context, effects: [effects] };
  });
}

function metaById(chart: Chart): ReadonlyMap<string, NodeMeta> {
  const meta = new Map<string, NodeMeta>();
  for (const node of nodesOf(chart)) {
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
