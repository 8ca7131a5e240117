import type { Chart } from '@dramaturg/compiler';
import {
  isCompiled,
  nodesOf,
  type PlacedNode,
  type PlacedTransition,
  titleOf,
  transitionsOf,
} from '../chart-nodes.ts';
import { authoredExits, type Condition, conditionsOf, type Doings, handles } from './conditions.ts';
import { authoredState } from './states.ts';

/** A way from one state of the author to another. */
export interface Move {
  /** The name of the state that was left. */
  readonly name: string;
  readonly to: string;
  /** Why, in the author's words. */
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

/** The exits that an event decides between, in order: with those that need no event. */
function decidedWith(exits: readonly PlacedTransition[], type: string) {
  return exits.filter(({ event }) => event === '' || handles(event, type));
}

/** The reason for a transition. That a state simply has a next one needs none, and a default has those of the others. */
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
  // Words without a space or a sign are the name of a guard or an event.
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
