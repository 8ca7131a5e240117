import type { Path } from '@dramaturg/compiler';
import { type Graph, type State, type Target, targetsOf } from '../definition.ts';
import type { ContextGraphOptions } from '../shape.ts';
import { type Address, callName } from '../names.ts';
import { reachableStates, statesByName } from '../state-graph.ts';

/** A graph that is entered: the compiled graph, or a referenced graph in a call. */
export interface EnteredGraph {
  readonly graph: Graph;
  /** The beginning of the addresses of its states; empty for the compiled graph. */
  readonly path: string;
  readonly options: ContextGraphOptions;
  /** The reachable states, in the order of the definition. The others have no node. */
  readonly states: readonly State[];
  /** Path of the reference in the compiled definition; undefined for that definition itself. */
  readonly referenceAt: Path | undefined;
}

/** A call of a referenced graph: one node for each distinct reference, entry and jumpback. */
export interface Call {
  readonly name: string;
  readonly jumpback: string;
  /** Where the first target that makes the call is written. */
  readonly at: Path;
  readonly entry: string;
  readonly entered: EnteredGraph;
}

export function enter(
  graph: Graph,
  entries: readonly string[],
  options: ContextGraphOptions,
  path = '',
  referenceAt?: Path,
): EnteredGraph {
  const byName = statesByName(graph);
  const reached = reachableStates(graph, entries);
  const states = [...byName.values()].filter(({ name }) => reached.has(name));
  return { graph, path, options, states, referenceAt };
}

/** The calls that the states of an entered graph make. */
export function callsOf({ graph, path, options, states, referenceAt }: EnteredGraph): Call[] {
  const references = new Map(graph.references.map((reference) => [reference.name, reference]));
  const calls = new Map<string, Call>();
  for (const target of states.flatMap(targetsOf)) {
    if (target.kind !== 'call') continue;
    const name = callName(target.reference, target.state, target.jumpback);
    const reference = references.get(target.reference);
    // `lower` is called only for graphs without errors, so every reference is resolved.
    if (calls.has(name) || !reference?.graph) continue;
    calls.set(name, {
      name,
      entry: target.state,
      jumpback: target.jumpback,
      at: target.at,
      entered: enter(
        reference.graph,
        [target.state],
        options,
        `${path}${name}/`,
        referenceAt ?? reference.at,
      ),
    });
  }
  return [...calls.values()];
}

/** The graph and all graphs within its calls. */
export function enteredGraphs(root: EnteredGraph): EnteredGraph[] {
  const places = [root];
  for (const entered of places) for (const call of callsOf(entered)) places.push(call.entered);
  return places;
}

export function addressOf(entered: EnteredGraph, name: string): Address {
  return entered.path + name;
}

/** The state that a target enters: in a call, the entry of the referenced graph. */
export function addressOfTarget(entered: EnteredGraph, target: Target): Address {
  if (target.kind === 'call') {
    const call = callName(target.reference, target.state, target.jumpback);
    return `${entered.path}${call}/${target.state}`;
  }
  if (target.kind === 'other') return target.target;
  return addressOf(entered, target.kind === 'state' ? target.state : '');
}

/** The place of a part, as a path into the compiled definition. */
export function originOf(entered: EnteredGraph, at: Path): Path {
  return entered.referenceAt ?? at;
}

/** Whether the state is the terminal state of a referenced graph and says nothing: the calling graph speaks next. */
export function endsSilently(entered: EnteredGraph, state: State): boolean {
  return (
    isCalled(entered) && isTerminal(entered, state) && entered.options.childTerminal === 'silent'
  );
}

/** Whether the graph is entered by a call. */
export function isCalled({ path }: EnteredGraph): boolean {
  return path !== '';
}

/** Whether the graph ends at the state. */
export function isTerminal({ graph }: EnteredGraph, { name }: State): boolean {
  return name === graph.terminal_state;
}
