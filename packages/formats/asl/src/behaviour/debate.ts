import { budgetBehaviour } from './budget.ts';
import { composed } from './part.ts';
import { type Action, type Guard, isRecord, type Json } from '@dramaturg/compiler';
import { type Progress, type WorkflowContext } from '../context.ts';
import type { Debate } from '../definition/index.ts';
import {
  beginDebate,
  debateResult,
  type DebateState,
  type DebateStep,
  nextStep,
  visibleTo,
  withJudgement,
  withTurn,
  withVotes,
} from '../flow/debate.ts';
import { type Answer, usedBy } from '../flow/usage.ts';
import { callKey } from './call-key.ts';
import {
  StateAtWork,
  type StateParams,
  visitOf,
  within,
  type StateAction,
  type WorkflowScope,
} from './state-at-work.ts';
import { preparing } from './recovery.ts';
import { meansFor, spending } from './spending.ts';

/** Spec: Agent 2 §Debate State */
export const prepareDebate: StateAction = (scope, params) =>
  preparing(scope, params, (state, progress, visit) => {
    const { flow, topic } = state.program;
    const run = state.run(progress);
    const selected = flow.select(run);
    const debate = beginDebate(topic!(run, selected));
    const { Parameters: parameters } = state.program.state as Debate;
    const work = parameters === undefined ? {} : { work: flow.prepare(run, selected) };
    return state.effects({ ...progress, visit: { ...visit, ...work, debate } });
  });

interface SpeakerParams extends StateParams {
  /** Which of those who are asked at once. */
  readonly speaker: number;
}

/** Asks somebody for a turn, a vote or a judgement. */
export const debateCall = (scope: WorkflowScope, params: SpeakerParams) => {
  const working = new StateAtWork(scope, params);
  const state = working.program.state as Debate;
  const { debate, work } = visitOf(working.progress);
  const { topic, turns, history } = debate!;
  const step = nextStep(state, debate!)!;
  const agent = 'agents' in step ? step.agents[params.speaker]! : step.agent;
  const speaks = step.kind === 'turn' || step.kind === 'round';
  const told = speaks ? visibleTo(state, debate!, agent, step.round) : history;
  const turn = speaks ? `${turns + params.speaker}` : `${turns}/${step.kind}/${params.speaker}`;
  return {
    key: callKey(scope.context, params.machine, `turn/${turn}`),
    agent,
    input: {
      ...(isRecord(work) ? work : {}),
      prompt: promptOf(step, topic, state),
      topic,
      round: step.round,
      history: told as unknown as Json,
    },
    ...meansFor(working),
  };
};

function promptOf({ kind, round }: DebateStep, topic: string, state: Debate): string {
  switch (kind) {
    case 'vote':
      return `Vote on: ${topic}. Answer with "vote".`;
    case 'judgement':
      return `Decide on: ${topic}. Weigh what was said in the debate.`;
    default:
      return `Debate: ${topic}. It is round ${round} of ${state.Consensus?.mostRounds ?? state.Rounds}.`;
  }
}

function answerField({ state }: StateParams, speaker: number): string {
  return `${state}:answer${speaker + 1}`;
}

/** Keeps what somebody has answered until all have. */
export const storeStepAnswer: Action<WorkflowContext, { output: Answer }, SpeakerParams> = (
  { event },
  params,
) => ({ context: { [answerField(params, params.speaker)]: event.output } });

/** Takes in what was said, and leaves no answer behind. */
export const takeStepAnswers: StateAction = (scope, params) => {
  const effects = within(scope, params, (state, progress) => {
    const visit = visitOf(progress);
    const debate = visit.debate!;
    const definition = state.program.state as Debate;
    const step = nextStep(definition, debate)!;
    const agents = 'agents' in step ? step.agents : [step.agent];
    const answers = agents.map((agent, speaker) => ({
      agent,
      output: scope.context[answerField(params, speaker)] as Answer,
    }));
    const after = afterStep(definition, debate, step, answers);
    return spending(
      state,
      { ...progress, visit: { ...visit, debate: after } },
      answers.map(({ output }) => usedBy(output)),
      (spent) =>
        state.effects(
          spent,
          saidIn(debate, after).map((said) => ({ ...said, ...state.where() })),
        ),
    );
  });
  return { ...effects, context: { ...effects.context, ...answersGone(scope, params) } };
};

function afterStep(
  definition: Debate,
  debate: DebateState,
  { kind, round }: DebateStep,
  answers: readonly { readonly agent: string; readonly output: Answer }[],
): DebateState {
  const said = answers.map(({ agent, output: { result } }) => ({ agent, result }));
  if (kind === 'vote') return withVotes(definition.Consensus!, debate, round, said);
  if (kind === 'judgement') return withJudgement(definition, debate, round, said[0]!.result);
  return said.reduce(
    (before, { agent, result }) => withTurn(definition, before, agent, result),
    debate,
  );
}

/** What watchers hear of a step. */
function saidIn(before: DebateState, after: DebateState) {
  const turns = after.history.slice(before.history.length);
  const votes = after.votes === before.votes ? [] : (after.votes ?? []);
  return [
    ...turns.map((turn) => ({ type: 'debate.spoken', ...turn })),
    ...votes.map(({ agent, vote }) => ({ type: 'debate.voted', round: after.asked, agent, vote })),
  ];
}

/** One has failed, and with it the round: what the others have used is not forgotten. */
export const dropStepAnswers: StateAction = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const used = Object.keys(answersGone(scope, params)).map((field) =>
    usedBy(scope.context[field] as Answer),
  );
  const effects = spending(state, state.progress, used, (spent: Progress) => state.effects(spent));
  return { ...effects, context: { ...effects.context, ...answersGone(scope, params) } };
};

function answersGone(
  { context }: WorkflowScope,
  { state }: StateParams,
): Record<string, undefined> {
  const fields = Object.keys(context).filter(
    (field) => field.startsWith(`${state}:answer`) && context[field] !== undefined,
  );
  return Object.fromEntries(fields.map((field) => [field, undefined]));
}

/** Somebody is to speak, vote or judge; with a `kind`, just that. */
export const hasNextStep: Guard<
  WorkflowContext,
  unknown,
  StateParams & { readonly kind?: DebateStep['kind'] }
> = (scope, params) => {
  const { program, progress } = new StateAtWork(scope, params);
  const step = nextStep(program.state as Debate, visitOf(progress).debate!);
  return step !== undefined && (params.kind === undefined || step.kind === params.kind);
};

export const finishDebate: StateAction = (scope, params) =>
  within(scope, params, (state, progress) => {
    const result = debateResult(state.program.state as Debate, visitOf(progress).debate!);
    return state.left(progress, state.program.flow.finish(state.run(progress), result));
  });

export const debateBehaviour = composed(budgetBehaviour, {
  guards: { hasNextStep },
  actions: { prepareDebate, storeStepAnswer, takeStepAnswers, dropStepAnswers, finishDebate },
  inputs: { debateCall },
});
