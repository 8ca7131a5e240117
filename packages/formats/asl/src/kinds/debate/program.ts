import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { toText } from '../../data/states-error.ts';
import type { Consensus, Debate } from './definition.ts';
import type { Dialect } from '../../definition/index.ts';
import type { Run } from '../../flow/run.ts';
import { compileOptionalSource } from '../../flow/value-source.ts';

/** One turn of a debate. */
interface Turn {
  readonly round: number;
  readonly agent: string;
  readonly response: Json;
}

interface Vote {
  readonly agent: string;
  readonly vote: Json;
}

/** The slice of the visit that a Debate owns. */
export interface DebateVisit {
  readonly debate: DebateState;
}

/** The progress of a debate. */
export interface DebateState {
  readonly topic: string;
  readonly history: readonly Turn[];
  /** How many turns were taken; a pass is a turn. */
  readonly turns: number;
  /** How many passes in a row. */
  readonly passes: number;
  /** The round after which the agents last voted or the arbiter judged. */
  readonly judgedRound?: number;
  /** The votes of the last vote. */
  readonly votes?: readonly Vote[];
  readonly decision?: Json;
  readonly agreed?: boolean;
  /** Remaining objections, in the words of the arbiter. */
  readonly dissent?: Json;
}

/** The next step of a debate. */
export type DebateStep =
  /** One agent speaks. */
  | { readonly kind: 'turn'; readonly agent: string; readonly round: number }
  /** All speak at once. */
  | { readonly kind: 'round'; readonly agents: readonly string[]; readonly round: number }
  /** All vote at once. */
  | { readonly kind: 'vote'; readonly agents: readonly string[]; readonly round: number }
  /** The arbiter, or the tie breaker, decides. */
  | { readonly kind: 'judgement'; readonly agent: string; readonly round: number };

export function beginDebate(topic: string): DebateState {
  return { topic, history: [], turns: 0, passes: 0 };
}

/** The next step, or undefined when the debate is over. Spec: Agent 2 §Debate State, tutorial 9 */
export function nextStep(state: Debate, debate: DebateState): DebateStep | undefined {
  const { Consensus: consensus } = state;
  const speakers = speakersOf(state);
  const held = Math.floor(debate.turns / speakers.length);
  const isOver = held >= (consensus?.mostRounds ?? state.Rounds) || isSilent(state, debate);
  const isRoundOver = debate.turns > 0 && debate.turns % speakers.length === 0;
  if (consensus && debate.judgedRound !== held && (isOver || isRoundOver)) {
    if ('voters' in consensus) return { kind: 'vote', agents: consensus.voters, round: held };
    if (isOver || asksEveryRound(state, consensus)) {
      return { kind: 'judgement', agent: consensus.arbiter, round: held };
    }
  }
  if (debate.agreed) return undefined;
  if (isOver) {
    return consensus && 'voters' in consensus && consensus.tieBreaker && !('decision' in debate)
      ? { kind: 'judgement', agent: consensus.tieBreaker, round: held }
      : undefined;
  }
  const round = held + 1;
  return state.Style === 'simultaneous'
    ? { kind: 'round', agents: speakers, round }
    : { kind: 'turn', agent: speakers[debate.turns % speakers.length]!, round };
}

function asksEveryRound({ Rounds: rounds }: Debate, consensus: Consensus): boolean {
  return consensus.threshold !== undefined || consensus.mostRounds > rounds;
}

/** Every agent has passed, except perhaps the one that spoke last. */
function isSilent(state: Debate, { passes, history }: DebateState): boolean {
  const others = speakersOf(state).length - (history.length > 0 ? 1 : 0);
  return state.Style === 'reactive' && passes >= others;
}

/** The arbiter takes no turns: it only judges. */
export function speakersOf({
  Agents: agents,
  Order: order,
  Consensus: consensus,
}: Debate): readonly string[] {
  const all = order.length > 0 ? order : agents;
  return consensus && 'arbiter' in consensus
    ? all.filter((agent) => agent !== consensus.arbiter)
    : all;
}

/** The turns that an agent sees. Tutorial 9, `VisibleHistory` and `Style` */
export function visibleTo(
  state: Debate,
  debate: DebateState,
  agent: string,
  round: number,
): Turn[] {
  const turns = debate.history.filter(
    (turn) => state.Style !== 'simultaneous' || turn.round < round,
  );
  switch (state.VisibleHistory) {
    case 'none':
      return [];
    case 'own':
      return turns.filter((turn) => turn.agent === agent);
    case 'previous_only':
      return turns.slice(-1);
    case 'all':
      return turns;
  }
}

/** Adds the turn of an agent. A reactive agent passes with `{ "pass": true }`. */
export function withTurn(
  state: Debate,
  debate: DebateState,
  agent: string,
  result: Json,
): DebateState {
  const turns = debate.turns + 1;
  if (state.Style === 'reactive' && isRecord(result) && result['pass'] === true) {
    return { ...debate, turns, passes: debate.passes + 1 };
  }
  const round = Math.floor(debate.turns / speakersOf(state).length) + 1;
  const turn = { round, agent, response: responseOf(result) };
  return { ...debate, turns, passes: 0, history: [...debate.history, turn] };
}

/** Counts votes: the answer's `vote`, else its `decision` or `response`. Upper and lower case are the same vote. */
export function withVotes(
  consensus: Consensus,
  debate: DebateState,
  round: number,
  answers: readonly { readonly agent: string; readonly result: Json }[],
): DebateState {
  const votes = answers.map(({ agent, result }) => ({ agent, vote: voteOf(result) }));
  const counts = new Map<string, number>();
  for (const { vote } of votes) counts.set(ballotOf(vote), (counts.get(ballotOf(vote)) ?? 0) + 1);
  const most = Math.max(...counts.values());
  const leading = votes.filter(({ vote }) => counts.get(ballotOf(vote)) === most);
  const isTied = new Set(leading.map(({ vote }) => ballotOf(vote))).size > 1;
  const part = most / votes.length;
  const { threshold } = consensus;
  const agreed = !isTied && (threshold === undefined ? part > 0.5 : part >= threshold);
  const counted = { ...debate, judgedRound: round, votes, agreed };
  return agreed ? { ...counted, decision: leading[0]!.vote } : counted;
}

/**
 * Adds the decision of the arbiter or the tie breaker: the answer's `decision`, else its `response`, else null. With a
 * threshold, the answer also has an `agreement` from 0 to 1.
 */
export function withJudgement(
  state: Debate,
  debate: DebateState,
  round: number,
  result: Json,
): DebateState {
  const consensus = state.Consensus!;
  const decision = decisionOf(result);
  const { agreement, dissent } = isRecord(result) ? result : {};
  const judged = {
    ...debate,
    judgedRound: round,
    decision,
    ...(dissent !== undefined && { dissent }),
  };
  if ('voters' in consensus) return judged;
  const isLast = round >= consensus.mostRounds || isSilent(state, debate);
  const isEnough =
    consensus.threshold === undefined ||
    (typeof agreement === 'number' ? agreement >= consensus.threshold : isLast);
  return { ...judged, agreed: decision !== null && isEnough };
}

/** An agent's `response`, or its whole answer as text. */
function responseOf(result: Json): Json {
  if (isRecord(result) && 'response' in result) return result['response'];
  return toText(result);
}

function voteOf(result: Json): Json {
  return isRecord(result) && 'vote' in result ? result['vote'] : decisionOf(result);
}

function ballotOf(vote: Json): string {
  return JSON.stringify(typeof vote === 'string' ? vote.trim().toLowerCase() : vote);
}

function decisionOf(result: Json): Json {
  if (!isRecord(result)) return result;
  return result['decision'] ?? result['response'] ?? null;
}

/** The result of a debate. Agent 2 §Debate State; `responses` in tutorial 9 */
export function debateResult(state: Debate, debate: DebateState): JsonObject {
  const { topic, history, decision = null, votes } = debate;
  return {
    topic,
    rounds: Math.ceil(debate.turns / speakersOf(state).length),
    participants: [...state.Agents],
    history: history as unknown as Json,
    responses: history.map(({ response }) => response),
    decision,
    consensus: state.Consensus ? (debate.agreed ?? false) : null,
    ...(votes && { votes: votes as unknown as Json }),
    ...(state.Consensus && { dissent: dissentOf(debate) }),
  };
}

/** The agents that voted differently, or the objections that the arbiter reports. */
function dissentOf({ votes, decision = null, dissent }: DebateState): Json {
  if (!votes) return dissent ?? [];
  return votes.flatMap(({ agent, vote }) =>
    ballotOf(vote) === ballotOf(decision) ? [] : [{ agent, position: vote }],
  );
}

/** The slice of the program that a Debate owns. */
export interface DebateProgram {
  readonly topic: (run: Run, selected: Json) => string;
}

export function compileDebate(state: Debate, dialect: Dialect): DebateProgram {
  const topic = compileOptionalSource(state.Topic, dialect, 'Topic');
  return { topic: (run, selected) => toText(topic?.(run, selected) ?? '') };
}
