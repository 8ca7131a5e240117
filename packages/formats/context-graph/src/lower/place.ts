import type { Path } from '@dramaturg/compiler';
import type { ContextGraphOptions, Graph, State, Target } from '../definition.ts';
import { type Address, callName } from '../names.ts';
import { reachableStates, statesByName } from '../state-graph.ts';

/** A graph at the place where it is entered: the graph that was compiled, or a referenced one within a call. */
export interface Place {
  readonly graph: Graph;
  /** What the addresses of its states begin with; empty for the graph that was compiled. */
  readonly path: string;
  readonly options: ContextGraphOptions;
  /** The states that can be entered here, in the order of the definition. The others have no node. */
  readonly states: readonly State[];
  /** Where the reference stands in the definition that was compiled; undefined for that definition itself. */
  readonly referenceAt: Path | undefined;
}

/** A call of a referenced graph: one node for each distinct reference, entry and jumpback of a place. */
export interface Call {
  readonly name: string;
  readonly jumpback: string;
  /** Where the first target that makes the call is written. */
  readonly at: Path;
  readonly entry: string;
  readonly place: Place;
}

export function rootPlace(
  graph: Graph,
  entries: readonly string[],
  options: ContextGraphOptions,
): Place {
  return placeOf(graph, '', entries, options, undefined);
}

function placeOf(
  graph: Graph,
  path: string,
  entries: readonly string[],
  options: ContextGraphOptions,
  referenceAt: Path | undefined,
): Place {
  const byName = statesByName(graph);
  const reached = reachableStates(graph, entries);
  const states = [...byName.values()].filter(({ name }) => reached.has(name));
  return { graph, path, options, states, referenceAt };
}

/** The calls that the states of a place make. */
export function callsOf({ graph, path, options, states, referenceAt }: Place): Call[] {
  const references = new Map(graph.references.map((reference) => [reference.name, reference]));
  const calls = new Map<string, Call>();
  for (const target of states.flatMap(callTargets)) {
    const name = callName(target.reference, target.state, target.jumpback);
    const reference = references.get(target.reference);
    // `lower` is called only for graphs without errors, so every reference is resolved.
    if (calls.has(name) || !reference?.graph) continue;
    calls.set(name, {
      name,
      entry: target.state,
      jumpback: target.jumpback,
      at: target.at,
      place: placeOf(
        reference.graph,
        `${path}${name}/`,
        [target.state],
        options,
        referenceAt ?? reference.at,
      ),
    });
  }
  return [...calls.values()];
}

function callTargets(state: State): (Target & { kind: 'call' })[] {
  const written = 'exit_conditions' in state ? state.exit_conditions : [state];
  return written.flatMap(({ next_state: target }) => (target?.kind === 'call' ? target : []));
}

/** The place and every place within its calls. */
export function placesIn(root: Place): Place[] {
  const places = [root];
  for (const place of places) for (const call of callsOf(place)) places.push(call.place);
  return places;
}

export function addressOf(place: Place, name: string): Address {
  return place.path + name;
}

/** The state that a target enters: in a call, the entry of the referenced graph. */
export function addressOfTarget(place: Place, target: Target): Address {
  if (target.kind === 'call') {
    const call = callName(target.reference, target.state, target.jumpback);
    return `${place.path}${call}/${target.state}`;
  }
  return addressOf(place, target.kind === 'state' ? target.state : '');
}

/** Where a part was written, as a path into the definition that was compiled. */
export function originOf(place: Place, at: Path): Path {
  return place.referenceAt ?? at;
}

/** True of the terminal state of a referenced graph, unless it is to speak: whoever called the graph speaks next. */
export function endsSilently(place: Place, state: State): boolean {
  return isCalled(place) && isTerminal(place, state) && place.options.childTerminal === 'silent';
}

/** True of the place of a referenced graph. */
export function isCalled({ path }: Place): boolean {
  return path !== '';
}

/** True of the state at which the graph of this place ends. */
export function isTerminal({ graph }: Place, { name }: State): boolean {
  return name === graph.terminal_state;
}
