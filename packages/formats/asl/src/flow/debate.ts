import { isRecord, type Json } from '@dramaturg/compiler';
import type { Debate, Dialect } from '../definition/index.ts';
import { compileOptionalGiven } from './given.ts';
import type { Run } from './run.ts';

/** One turn of a debate. */
export interface Turn {
  readonly round: number;
  readonly agent: string;
  readonly response: Json;
}

/** How far a debate has come. */
export interface DebateState {
  readonly topic: string;
  readonly history: readonly Turn[];
  /** What the arbiter has decided; undefined until then. */
  readonly decision?: Json;
}

/** Who is to speak next: an agent of a round, the arbiter in the end, or nobody. Spec: Agent 2 §Debate State */
export function nextSpeaker(
  state: Debate,
  debate: DebateState,
): { readonly agent: string; readonly round: number; readonly judges: boolean } | undefined {
  const speakers = speakersOf(state);
  const turns = debate.history.length;
  const round = Math.floor(turns / speakers.length) + 1;
  if (round <= state.Rounds) {
    return { agent: speakers[turns % speakers.length]!, round, judges: false };
  }
  if (!state.ConsensusRequired || debate.decision !== undefined) return undefined;
  return { agent: state.Arbiter!, round: state.Rounds, judges: true };
}

/** The arbiter listens, and speaks in the end only. */
function speakersOf(state: Debate): readonly string[] {
  const all = state.Order.length > 0 ? state.Order : state.Agents;
  return state.ConsensusRequired ? all.filter((agent) => agent !== state.Arbiter) : all;
}

/** What an agent is told of what was said. Tutorial 9, `VisibleHistory` and `Style` */
export function visibleTo(
  state: Debate,
  debate: DebateState,
  agent: string,
  round: number,
): Turn[] {
  const said = debate.history.filter(
    (turn) => state.Style !== 'simultaneous' || turn.round < round,
  );
  switch (state.VisibleHistory) {
    case 'none':
      return [];
    case 'own':
      return said.filter((turn) => turn.agent === agent);
    case 'previous_only':
      return said.slice(-1);
    case 'all':
      return said;
  }
}

/** An agent's `response`, or all it has answered, as a text. */
export function responseOf(result: Json): Json {
  if (isRecord(result) && 'response' in result) return result['response'];
  return typeof result === 'string' ? result : JSON.stringify(result);
}

/** An arbiter's `decision`, else its `response`, else nothing. */
export function decisionOf(result: Json): Json {
  if (!isRecord(result)) return result;
  return result['decision'] ?? result['response'] ?? null;
}

export function debateResult(state: Debate, { topic, history, decision }: DebateState): Json {
  return {
    topic,
    rounds: state.Rounds,
    participants: [...state.Agents],
    history: history as unknown as Json,
    decision: decision ?? null,
    consensus: state.ConsensusRequired ? (decision ?? null) !== null : null,
  };
}

export function compileTopic(
  state: Debate,
  dialect: Dialect,
): (run: Run, selected: Json) => string {
  const topic = compileOptionalGiven(state.Topic, dialect, 'Topic');
  return (run, selected) => {
    const value = topic?.(run, selected) ?? '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
}
