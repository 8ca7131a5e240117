import type { Guard, Json } from '@dramaturg/compiler';
import type { WorkflowContext } from '../context.ts';
import type { Debate } from '../definition/index.ts';
import { isRecord } from '@dramaturg/compiler';
import {
  debateResult,
  type DebateState,
  decisionOf,
  nextSpeaker,
  responseOf,
  visibleTo,
} from '../flow/debate.ts';
import { sumOf, usageOf } from '../flow/usage.ts';
import { callKey } from './call-key.ts';
import {
  StateAtWork,
  type StateParams,
  visitOf,
  within,
  type StateAction,
  type StateInputMaker,
} from './progress.ts';
import { preparing } from './recovery.ts';

/** Spec: Agent 2 §Debate State */
export const prepareDebate: StateAction = (scope, params) =>
  preparing(scope, params, (state, progress, visit) => {
    const { flow, topic } = state.program;
    const run = state.run(progress);
    const selected = flow.select(run);
    const debate: DebateState = { topic: topic!(run, selected), history: [] };
    const { Parameters: parameters } = state.program.state as Debate;
    const work = parameters === undefined ? {} : { work: flow.prepare(run, selected) };
    return state.effects({ ...progress, visit: { ...visit, ...work, debate } });
  });

/** Asks whoever is to speak next. */
export const debateCall: StateInputMaker = (scope, params) => {
  const { program, progress } = new StateAtWork(scope, params);
  const state = program.state as Debate;
  const { debate, work } = visitOf(progress);
  const { topic, history } = debate!;
  const { agent, round, judges } = nextSpeaker(state, debate!)!;
  const told = judges ? history : visibleTo(state, debate!, agent, round);
  return {
    key: callKey(scope.context, params.machine, `turn/${history.length}`),
    agent,
    input: {
      ...(isRecord(work) ? work : {}),
      prompt: judges
        ? `Decide on: ${topic}. Weigh what was said in the debate.`
        : `Debate: ${topic}. It is round ${round} of ${state.Rounds}.`,
      topic,
      round,
      history: told as unknown as Json,
    },
  };
};

interface Spoken {
  readonly output: { readonly result: Json };
}

/** Notes what was said. */
export const takeTurn: StateAction<Spoken> = (scope, params) =>
  within(scope, params, (state, progress) => {
    const visit = visitOf(progress);
    const debate = visit.debate!;
    const { agent, round, judges } = nextSpeaker(state.program.state as Debate, debate)!;
    const { result } = scope.event.output;
    const after: DebateState = judges
      ? { ...debate, decision: decisionOf(result) }
      : { ...debate, history: [...debate.history, { round, agent, response: responseOf(result) }] };
    const used = usageOf(result);
    const usage = sumOf([progress.usage, used]);
    return state.effects(
      { ...progress, visit: { ...visit, debate: after }, ...(usage && { usage }) },
      used ? [{ type: 'usage.recorded', ...state.where(), ...used }] : [],
    );
  });

export const debateGoesOn: Guard<WorkflowContext, unknown, StateParams> = (scope, params) => {
  const { program, progress } = new StateAtWork(scope, params);
  return nextSpeaker(program.state as Debate, visitOf(progress).debate!) !== undefined;
};

export const finishDebate: StateAction = (scope, params) =>
  within(scope, params, (state, progress) => {
    const result = debateResult(state.program.state as Debate, visitOf(progress).debate!);
    return state.left(progress, state.program.flow.finish(state.run(progress), result));
  });
