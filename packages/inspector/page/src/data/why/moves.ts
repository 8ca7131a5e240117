import type { Chart } from '@dramaturg/compiler';
import {
  isAuthored,
  isCompiled,
  nodesOf,
  type PlacedNode,
  type PlacedTransition,
  titleOf,
  transitionsOf,
} from '../chart-nodes.ts';
import { authoredExits, type Condition, conditionsOf, type Doings, handles } from './conditions.ts';

/** A move from one authored state to another. */
export interface Move {
  /** The name of the state that was left. */
  readonly name: string;
  readonly to: string;
  /** The reason, in the author's words. */
  readonly because: string | undefined;
  readonly conditions: readonly Condition[];
}

/** The moves between the author's states, in order. */
export function movesIn(chart: Chart, { guards, transitions }: Doings): readonly Move[] {
  const nodes = nodesOf(chart);
  const compiled = isCompiled(chart);
  const stateOf = (node: PlacedNode | undefined) =>
    node && (compiled ? authoredState(node) : node.parent ? node : undefined);
  const moves: Move[] = [];
  for (const transition of transitions) {
    for (const { from, to } of transition.taken) {
      const source = nodes.get(from);
      const left = stateOf(source);
      const entered = stateOf(nodes.get(to[0] ?? ''));
      if (!source || !left || !entered || left === entered) continue;
      if (isInside(entered, left) && compiled) continue;
      const exits = compiled
        ? authoredExits(left)
        : transitionsOf(source).filter(
            ({ event }) => event === '' || event === transition.event.type,
          );
      const conditions = conditionsOf(chart, decidedWith(exits, transition.event.type), {
        guards,
        transitions: [transition],
      });
      const taken = conditions.find(({ isTaken }) => isTaken);
      const because = taken && reasonOf(taken, conditions, transition.event.type);
      moves.push({ name: titleOf(left), to: titleOf(entered), because, conditions });
    }
  }
  return moves;
}

/** The exits between which an event decides, in order, including those that need no event. */
function decidedWith(exits: readonly PlacedTransition[], type: string) {
  return exits.filter(({ event }) => event === '' || handles(event, type));
}

/** The reason for a transition. A simple next state needs no reason. A default transition has the reasons of the others. */
function reasonOf(taken: Condition, conditions: readonly Condition[], event: string) {
  const { words, reason } = taken;
  if (words === 'otherwise') {
    const texts = conditions.flatMap(({ holds, reason: other }) =>
      holds === false && other ? other.text : [],
    );
    return texts.length > 0 ? [...new Set(texts)].join(', ') : undefined;
  }
  const said = words.replace(/^\d+: /, '');
  if (!reason) return said === event ? `on "${event}"` : said;
  // A single word is the name of a guard or an event.
  if (!/\W/.test(said) || said === event) return reason.text;
  const isRepeated = Object.entries(reason.values ?? {}).every(
    ([key, value]) => said.includes(key) && said.includes(String(value)),
  );
  return isRepeated && reason.values ? said : `${said} (${reason.text})`;
}

function isInside(inner: PlacedNode, outer: PlacedNode): boolean {
  for (let at = inner.parent; at; at = at.parent) if (at === outer) return true;
  return false;
}

/**
 * The current states of an actor for its author: the innermost authored states with exits, or, if none has any, the innermost
 * authored states. For a machine that was not compiled, its innermost states.
 */
export function statesIn(chart: Chart, active: readonly string[] = []): readonly PlacedNode[] {
  const nodes = nodesOf(chart);
  const states = new Set<PlacedNode>();
  const ids = new Set(active);
  for (const id of active) {
    const node = nodes.get(id);
    if (!node?.parent || node.children.some((child) => ids.has(child.id))) continue;
    const state = isCompiled(chart) ? authoredState(node) : node;
    if (state) states.add(state);
  }
  return [...states];
}

/** The authored state around a node that has exits; without one, the nearest authored state, or an end with a title. */
export function authoredState(node: PlacedNode): PlacedNode | undefined {
  let nearest: PlacedNode | undefined;
  for (let at: PlacedNode | undefined = node; at?.parent; at = at.parent) {
    if (!isAuthored(at)) continue;
    nearest ??= at;
    if (authoredExits(at).length > 0) return at;
  }
  if (nearest) return nearest;
  return node.node.type === 'final' && node.node.meta?.['title'] !== undefined ? node : undefined;
}

export function namesOf(states: readonly PlacedNode[]): string {
  return states.map(titleOf).join(' and ');
}
