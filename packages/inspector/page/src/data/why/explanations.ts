import type { Chart } from '@dramaturg/compiler';
import { failureLines, furtherFailures, type ItemFailures } from '@dramaturg/compiler/chart';
import type { InspectedEvent, InspectorEvent } from '../../../../src/events.ts';
import type { RecordedActor } from '../../../../src/recording.ts';
import {
  isAuthored,
  isCompiled,
  nodesOf,
  type PlacedNode,
  type PlacedTransition,
  titleOf,
  transitionsOf,
} from '../chart-nodes.ts';
import { chartIn } from '../derive.ts';
import { hasFailed } from '../failure.ts';
import type { Actors, Moment } from '../playback.ts';
import {
  authoredExits,
  type Condition,
  conditionsOf,
  type Doings,
  doingsOf,
  handles,
} from './conditions.ts';

/** The explanation of an actor's state after a moment. */
export interface Explanation {
  readonly actor: RecordedActor;
  /** For example `Stays in Billing Support: disputed_amount is missing`. */
  readonly headline: string;
  /** The evaluated conditions, by the state that their transitions leave. */
  readonly states: readonly {
    readonly name: string;
    readonly conditions: readonly Condition[];
  }[];
  /** The machine's own guards and transitions. */
  readonly doings: Doings;
}

/** Number of events before a moment that are searched for the last evaluation of a condition. */
const mostBefore = 2_000;

/** Explains a moment: each actor with a machine that did something, or that is selected. */
export function explanationsIn(
  moment: Moment,
  events: readonly InspectorEvent[],
  before: Actors,
  after: Actors,
  selected: string | undefined,
): readonly Explanation[] {
  const acting = new Set<string>();
  for (let index = moment.from; index < moment.to; index += 1) {
    const { type, sessionId } = events[index]!;
    if (type !== '@xstate.actor' && type !== '@dramaturg.emitted') acting.add(sessionId);
  }
  const explained = [...after.values()]
    .filter(({ sessionId, call }) => !call && (acting.has(sessionId) || sessionId === selected))
    .flatMap((actor) => {
      const found = explanationOf(actor, moment, events, before, after);
      const errors = errorsIn(actor.sessionId, events, moment);
      return found ? { ...found, headline: [...errors, found.headline].join('; ') } : [];
    });
  const isSelected = ({ actor }: Explanation) => actor.sessionId === selected;
  return explained.toSorted((one, other) => Number(isSelected(other)) - Number(isSelected(one)));
}

/** The failed states and caught errors of a workflow, in sentences. */
function errorsIn(
  sessionId: string,
  events: readonly InspectorEvent[],
  { from, to }: Moment,
): readonly string[] {
  let items: ItemFailures | undefined;
  const own = events.slice(from, to).flatMap((emitted) => {
    if (emitted.sessionId !== sessionId || emitted.type !== '@dramaturg.emitted') return [];
    const found = failureLines(items, emitted.event);
    ({ items } = found);
    return found.lines;
  });
  return [...own, ...furtherFailures(items)];
}

function explanationOf(
  actor: RecordedActor,
  { from, to }: Moment,
  events: readonly InspectorEvent[],
  before: Actors,
  after: Actors,
): Explanation | undefined {
  const chart = chartIn(actor);
  if (!chart) return undefined;
  const { sessionId, snapshot } = actor;
  const doings = doingsOf(sessionId, events, from, to);
  const earlier = before.get(sessionId)?.snapshot.nodes;
  const now = statesIn(chart, snapshot.nodes);
  const moves = movesIn(chart, doings);
  if (hasFailed(actor) && snapshot.status === 'error')
    return { actor, headline: `Failed in ${namesOf(now) || actor.name}`, states: [], doings };
  if (moves.length > 0) {
    // A state with a single way out has not decided anything.
    const states = moves
      .map(({ name, conditions }) => ({ name, conditions }))
      .filter(({ conditions }) => conditions.length > 1 || conditions.some(({ reason }) => reason));
    const stays = staysIn(chart, now, doings, events, sessionId, to).filter(
      ({ name }) => !states.some((state) => state.name === name),
    );
    return { actor, headline: sentenceOf(moves), states: [...states, ...stays], doings };
  }
  if (earlier === undefined && now.length > 0 && doings.guards.length === 0)
    return { actor, headline: `Starts in ${namesOf(now)}`, states: [], doings };
  if (!isCompiled(chart))
    return plainExplanation(
      actor,
      chart,
      earlier ?? snapshot.nodes ?? [],
      doings,
      events,
      from,
      to,
    );
  const states = staysIn(chart, now, doings, events, sessionId, to);
  return { actor, headline: headlineOf(chart, now, states, actor, after, doings), states, doings };
}

function sentenceOf(moves: ReturnType<typeof movesIn>): string {
  return moves
    .map(({ name, to, because }, index) => {
      const way = index === 0 ? `Moves from ${name} to ${to}` : `then to ${to}`;
      return because === undefined ? way : `${way}: ${because}`;
    })
    .join('; ');
}

/** The conditions out of the current states, as last evaluated. */
function staysIn(
  chart: Chart,
  now: readonly PlacedNode[],
  doings: Doings,
  events: readonly InspectorEvent[],
  sessionId: string,
  to: number,
): Explanation['states'] {
  return now.flatMap((state) => {
    const exits = authoredExits(state);
    if (exits.length === 0) return [];
    const isAsked = conditionsOf(chart, exits, doings).some(({ holds }) => holds !== undefined);
    const known = isAsked ? doings : doingsOf(sessionId, events, to - mostBefore, to);
    // Transitions of an earlier visit say nothing about this one.
    const conditions = conditionsOf(chart, exits, { ...known, transitions: [] });
    const shown = conditions.filter(({ to: target, reason }) => target !== undefined || reason);
    const hasChoice = shown.some(({ words }) => words !== 'otherwise');
    return hasChoice ? [{ name: namesOf([state]), conditions: shown }] : [];
  });
}

function headlineOf(
  chart: Chart,
  now: readonly PlacedNode[],
  states: Explanation['states'],
  actor: RecordedActor,
  after: Actors,
  doings: Doings,
): string {
  const name = namesOf(now);
  if (actor.snapshot.status === 'done') return name === '' ? 'Has ended' : `Has ended in ${name}`;
  const waits = waitingFor(actor, after);
  const failing = states.flatMap(({ conditions }) =>
    conditions.filter(({ holds }) => holds === false),
  );
  const words = [...new Set([...otherEvents(chart, now, doings), ...reasonsOf(failing)])];
  if (words.length > 0) return `Stays in ${name}: ${words.join('; ')}`;
  if (waits !== undefined) return `Waits in ${name || actor.name} for ${waits}`;
  const next = [
    ...new Set(states.flatMap(({ conditions }) => conditions.map((each) => each.words))),
  ];
  if (next.length > 0) return `Stays in ${name} until: ${next.join(', or ')}`;
  return name === '' ? 'Is between states' : `Stays in ${name}`;
}

/** The reasons of conditions, without those whose values are all covered by another reason. */
function reasonsOf(conditions: readonly Condition[]): readonly string[] {
  const keysOf = ({ reason }: Condition) => Object.keys(reason?.values ?? {});
  const isCovered = (one: Condition) =>
    conditions.some(
      (other) =>
        keysOf(one).length > 0 &&
        keysOf(one).length < keysOf(other).length &&
        keysOf(one).every((key) => keysOf(other).includes(key)),
    );
  return conditions
    .filter((condition) => !isCovered(condition))
    .map(({ reason, words }) => reason?.text ?? `not ${words}`);
}

/**
 * Events that came instead of those that leave the state, if both have the same kind: a state that is left on `verdict.pass`
 * stays on `verdict.redirect`.
 */
function otherEvents(
  chart: Chart,
  now: readonly PlacedNode[],
  { transitions }: Doings,
): readonly string[] {
  const nodes = nodesOf(chart);
  const awaited = now.flatMap(authoredExits).map(({ event }) => event);
  const here = transitions.filter(({ taken }) =>
    taken.some(({ from }) => {
      const source = nodes.get(from);
      return source !== undefined && now.includes(authoredState(source)!);
    }),
  );
  return here.flatMap(({ event }) => {
    const { type, reason } = event;
    const [kind = '', ...rest] = type.split('.');
    const isOther = awaited.some((each) => each.startsWith(`${kind}.`)) && !awaited.includes(type);
    if (!isOther || rest.length === 0) return [];
    const words = `the ${kind} is ${rest.join('.')}`;
    return typeof reason === 'string' && reason !== '' ? `${words} (${reason})` : words;
  });
}

/** Explains a machine that was not compiled: what its states do with the received event. */
function plainExplanation(
  actor: RecordedActor,
  chart: Chart,
  active: readonly string[],
  doings: Doings,
  events: readonly InspectorEvent[],
  from: number,
  to: number,
): Explanation {
  const received = receivedIn(actor.sessionId, events, from, to);
  const now = namesOf(statesIn(chart, active)) || actor.name;
  if (!received) return { actor, headline: `Stays in ${now}`, states: [], doings };
  const nodes = nodesOf(chart);
  const asking = active.flatMap((id) => nodes.get(id) ?? []);
  const candidates = asking.flatMap((node) =>
    transitionsOf(node).filter(({ event }) => event !== '' && handles(event, received.type)),
  );
  const { type } = received;
  if (candidates.length === 0)
    return { actor, headline: `Stays in ${now}: it does not handle "${type}"`, states: [], doings };
  const decided = conditionsOf(chart, candidates, doings);
  const hasTaken = doings.transitions.length > 0;
  // Without a transition, no guard held.
  const conditions = decided.map((each, index) => ({
    ...each,
    holds: hasTaken || !candidates[index]!.transition.guard ? each.holds : false,
  }));
  const guards = conditions.filter(({ holds }) => holds === false).map(({ words }) => words);
  const because =
    guards.length > 0 && !hasTaken
      ? `: ${guards.join(' and ')} ${guards.length > 1 ? 'are' : 'is'} false`
      : '';
  const headline = hasTaken
    ? `Stays in ${now}: it handles "${type}" there`
    : `Stays in ${now}${because}`;
  return { actor, headline, states: [{ name: now, conditions }], doings };
}

function receivedIn(
  sessionId: string,
  events: readonly InspectorEvent[],
  from: number,
  to: number,
): InspectedEvent | undefined {
  for (let index = from; index < to; index += 1) {
    const event = events[index]!;
    if (event.sessionId === sessionId && event.type === '@xstate.event') return event.event;
  }
  return undefined;
}

/** The names of ports' answers for people. */
const answers: Readonly<Record<string, string>> = {
  reply: 'the reply of the model',
  choose: 'the choice of the model',
  extract: 'the data that the model finds',
  think: 'a thought of the model',
  recall: 'what is remembered',
  callTool: 'the answer of a tool',
  runAgent: 'the answer of an agent',
  requestDecision: 'a decision',
  timer: 'a timer',
};

/** Describes what an actor waits for: its open calls and its items. */
function waitingFor(actor: RecordedActor, actors: Actors): string | undefined {
  const open = [...actors.values()].filter(
    ({ parentId, snapshot }) => parentId === actor.sessionId && snapshot.status === 'active',
  );
  const words = open.map(({ call, name, snapshot: { items } }) => {
    if (items) return `its items (${items.ended}/${items.total})`;
    return call ? (answers[call.port] ?? `the port "${call.port}"`) : name;
  });
  return words.length > 0 ? [...new Set(words)].join(' and ') : undefined;
}

/** A move from one authored state to another. */
interface Move {
  /** The name of the state that was left. */
  readonly name: string;
  readonly to: string;
  /** The reason, in the author's words. */
  readonly because: string | undefined;
  readonly conditions: readonly Condition[];
}

/** The moves between the author's states, in order. */
function movesIn(chart: Chart, { guards, transitions }: Doings): readonly Move[] {
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
function statesIn(chart: Chart, active: readonly string[] = []): readonly PlacedNode[] {
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
function authoredState(node: PlacedNode): PlacedNode | undefined {
  let nearest: PlacedNode | undefined;
  for (let at: PlacedNode | undefined = node; at?.parent; at = at.parent) {
    if (!isAuthored(at)) continue;
    nearest ??= at;
    if (authoredExits(at).length > 0) return at;
  }
  if (nearest) return nearest;
  return node.node.type === 'final' && node.node.meta?.['title'] !== undefined ? node : undefined;
}

function namesOf(states: readonly PlacedNode[]): string {
  return states.map(titleOf).join(' and ');
}
