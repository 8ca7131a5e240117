import { type AnyStateMachine, createMachine, enqueueActions } from 'xstate';
import type { Chart, ChartInvoke, ChartNode, NodeMeta, Reference } from '../chart/chart.ts';
import { nodesOf, transitionLists } from '../chart/walk.ts';
import { portSchemas } from '../ports/contract.ts';
import { unprovidedPorts } from '../ports/provide.ts';
import type { Action, Behaviour, Scope } from './behaviour.ts';

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
 * @throws LinkError with every missing name, before anything runs: XState itself skips an unknown action in silence
 */
export function link(chart: Chart, behaviour: Behaviour): AnyStateMachine {
  const { missing } = nameUse(chart, behaviour);
  if (missing.length > 0) throw new LinkError(chart, missing);
  const meta = metaById(chart);
  const context = behaviour.contexts[chart.context.type]!;
  const output = behaviour.outputs[chart.output.type]!;
  const config = {
    ...linkedNode(chart, behaviour, meta),
    version: String(chart.chart),
    context: ({ input }: { input: unknown }) =>
      context({ input, meta }, chart.context.params ?? {}),
    output: (scope: { context: unknown }) =>
      output({ context: scope.context, meta }, chart.output.params ?? {}),
  };
  return createMachine(config as never, {
    guards: mapValues(
      behaviour.guards,
      (guard) => (scope: Scope, params: unknown) =>
        guard({ context: scope.context, event: scope.event, meta }, params ?? {}),
    ) as never,
    actions: mapValues(behaviour.actions, (action) => linkedAction(action, meta)) as never,
    actors: unprovidedPorts as never,
  });
}

/** The names a chart uses that the behaviour lacks, and the names of the behaviour that the chart never uses. */
export function nameUse(
  chart: Chart,
  behaviour: Behaviour,
): { missing: string[]; unused: string[] } {
  const known = new Set<string>([
    ...Object.keys(behaviour.contexts).map((name) => `context ${name}`),
    ...Object.keys(behaviour.outputs).map((name) => `output ${name}`),
    ...Object.keys(behaviour.guards).map((name) => `guard ${name}`),
    ...Object.keys(behaviour.actions).map((name) => `action ${name}`),
    ...Object.keys(behaviour.inputs).map((name) => `input ${name}`),
  ]);
  const used = usedNames(chart);
  const isKnown = (name: string) =>
    name.startsWith('port ')
      ? Object.hasOwn(portSchemas, name.slice('port '.length))
      : known.has(name);
  return {
    missing: [...used].filter((name) => !isKnown(name)).toSorted(),
    unused: [...known].filter((name) => !used.has(name)).toSorted(),
  };
}

function usedNames(chart: Chart): Set<string> {
  const used = new Set([`context ${chart.context.type}`, `output ${chart.output.type}`]);
  const useActions = (actions: readonly Reference[] | undefined) => {
    for (const action of actions ?? []) used.add(`action ${action.type}`);
  };
  for (const node of nodesOf(chart)) {
    useActions(node.entry);
    useActions(node.exit);
    for (const invoke of node.invoke ?? []) {
      used.add(`port ${invoke.src}`);
      used.add(`input ${invoke.input.type}`);
    }
    for (const [, transitions] of transitionLists(node)) {
      for (const { guard, actions } of transitions) {
        if (guard) used.add(`guard ${guard.type}`);
        useActions(actions);
      }
    }
  }
  return used;
}

/** The XState config of a node: inputs become functions, because XState passes a static input through as written. */
function linkedNode(
  node: ChartNode,
  behaviour: Behaviour,
  meta: ReadonlyMap<string, NodeMeta>,
): object {
  const invoke = node.invoke?.map((call) => linkedInvoke(call, behaviour, meta));
  const states =
    node.states && mapValues(node.states, (child) => linkedNode(child, behaviour, meta));
  return { ...node, ...(invoke ? { invoke } : {}), ...(states ? { states } : {}) };
}

function linkedInvoke(
  call: ChartInvoke,
  behaviour: Behaviour,
  meta: ReadonlyMap<string, NodeMeta>,
): object {
  const make = behaviour.inputs[call.input.type]!;
  return {
    ...call,
    input: ({ context, event }: Scope) => make({ context, event, meta }, call.input.params ?? {}),
  };
}

/** Carries out what an action decides. */
function linkedAction(action: Action, meta: ReadonlyMap<string, NodeMeta>): unknown {
  return enqueueActions(({ context, event, enqueue }, params) => {
    const effects = action({ context, event, meta }, params ?? {});
    if (effects.context) enqueue.assign(effects.context as never);
    for (const raised of effects.raise ?? []) enqueue.raise(raised);
    for (const emitted of effects.emit ?? []) enqueue.emit(emitted);
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
