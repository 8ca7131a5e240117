import { isRecord, type Json } from '@dramaturg/compiler';
import type { Action, Guard } from '@dramaturg/compiler/format';
import { budgetBehaviour } from '../../behaviour/budget.ts';
import { callKey } from '../../behaviour/call-key.ts';
import { composed } from '../../behaviour/part.ts';
import { budgetFields, countUsage } from '../../behaviour/spending.ts';
import {
  type StateAction,
  StateAtWork,
  type StateParams,
  type WorkflowScope,
} from '../../behaviour/state-at-work.ts';
import { continueState, leaveState, prepareState } from '../../behaviour/state-steps.ts';
import { visitOf, withVisit, type WorkflowContext, type WorkVisit } from '../../context.ts';
import type { Debate } from '../../definition/index.ts';
import { type Answer, usageOfCall } from '../../flow/usage.ts';
import {
  beginDebate,
  type DebateProgram,
  debateResult,
  type DebateState,
  type DebateStep,
  type DebateVisit,
  nextStep,
  visibleTo,
  withJudgement,
  withTurn,
  withVotes,
} from './program.ts';

/*
 * A debate is a sequence of steps: turn, round, vote or judgement. `nextStep` computes the next one from `debate` in
 * the visit, which owns all turns and votes so far. The regions of a round or vote run at once, so each owns a field of
 * the context for its answer (`answerField`). When the step ends, these answers move into `debate` and the fields are
 * removed. The fields are also removed when one agent fails.
 */

/** Spec: Agent 2 §Debate State */
const prepareDebate: StateAction = (scope, params) =>
  prepareState<DebateProgram>(scope, params, (state, progress) => {
    const { flow, topic } = state.program;
    const run = state.run(progress);
    const selected = flow.select(run);
    const debate = beginDebate(topic(run, selected));
    const { Parameters: parameters } = state.program.state as Debate;
    const work = parameters === undefined ? {} : { work: flow.prepare(run, selected) };
    return state.effects(withVisit<DebateVisit & WorkVisit>(progress, { ...work, debate }));
  });

interface SpeakerParams extends StateParams {
  /** The index of the agent among those that are called at the same time. */
  readonly speaker: number;
}

/** Calls an agent for a turn, a vote or a judgement. */
const debateCall = (scope: WorkflowScope, params: SpeakerParams) => {
  const working = new StateAtWork(scope, params);
  const state = working.program.state as Debate;
  const { debate, work } = visitOf<DebateVisit & WorkVisit>(working.progress);
  const { topic, turns, history } = debate!;
  const step = nextStep(state, debate!)!;
  const agent = 'agents' in step ? step.agents[params.speaker]! : step.agent;
  const speaks = step.kind === 'turn' || step.kind === 'round';
  const visible = speaks ? visibleTo(state, debate!, agent, step.round) : history;
  const turn = speaks ? `${turns + params.speaker}` : `${turns}/${step.kind}/${params.speaker}`;
  return {
    key: callKey(scope.context, params.machine, `turn/${turn}`),
    agent,
    input: {
      ...(isRecord(work) ? work : {}),
      prompt: promptOf(step, topic, state),
      topic,
      round: step.round,
      history: visible as unknown as Json,
    },
    ...budgetFields(working),
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

/** Stores one answer until all agents of the step have answered. */
const storeStepAnswer: Action<WorkflowContext, { output: Answer }, SpeakerParams> = (
  { event },
  params,
) => ({ context: { [answerField(params, params.speaker)]: event.output } });

/** Ends a step with the answers of its agents. */
const takeStepAnswers: StateAction = (scope, params) => {
  const effects = continueState(scope, params, (state, progress) => {
    const debate = visitOf<DebateVisit>(progress).debate!;
    const definition = state.program.state as Debate;
    const step = nextStep(definition, debate)!;
    const agents = 'agents' in step ? step.agents : [step.agent];
    const answers = agents.map((agent, speaker) => ({
      agent,
      output: scope.context[answerField(params, speaker)] as Answer,
    }));
    const after = afterStep(definition, debate, step, answers);
    return countUsage(
      state,
      withVisit<DebateVisit>(progress, { debate: after }),
      answers.map(({ output }) => usageOfCall(output)),
      (counted) =>
        state.effects(
          counted,
          stepEvents(debate, after).map((event) => ({ ...event, ...state.where() })),
        ),
    );
  });
  return { ...effects, context: { ...effects.context, ...withoutAnswers(scope, params) } };
};

function afterStep(
  definition: Debate,
  debate: DebateState,
  { kind, round }: DebateStep,
  answers: readonly { readonly agent: string; readonly output: Answer }[],
): DebateState {
  const results = answers.map(({ agent, output: { result } }) => ({ agent, result }));
  if (kind === 'vote') return withVotes(definition.Consensus!, debate, round, results);
  if (kind === 'judgement') return withJudgement(definition, debate, round, results[0]!.result);
  return results.reduce(
    (before, { agent, result }) => withTurn(definition, before, agent, result),
    debate,
  );
}

/** The events of a step: its turns or its votes. */
function stepEvents(before: DebateState, after: DebateState) {
  const turns = after.history.slice(before.history.length);
  const votes = after.votes === before.votes ? [] : (after.votes ?? []);
  const round = after.judgedRound;
  return [
    ...turns.map((turn) => ({ type: 'debate.spoken', ...turn })),
    ...votes.map(({ agent, vote }) => ({ type: 'debate.voted', round, agent, vote })),
  ];
}

/** One agent has failed, and with it the step. The usage of the others still counts. */
const dropStepAnswers: StateAction = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const removed = withoutAnswers(scope, params);
  const used = Object.keys(removed).map((field) => usageOfCall(scope.context[field] as Answer));
  const effects = countUsage(state, state.progress, used, (counted) => state.effects(counted));
  return { ...effects, context: { ...effects.context, ...removed } };
};

function withoutAnswers(
  { context }: WorkflowScope,
  { state }: StateParams,
): Record<string, undefined> {
  const fields = Object.keys(context).filter(
    (field) => field.startsWith(`${state}:answer`) && context[field] !== undefined,
  );
  return Object.fromEntries(fields.map((field) => [field, undefined]));
}

/** The debate has a next step, and it has the `kind`, if one is given. */
const hasNextStep: Guard<
  WorkflowContext,
  unknown,
  StateParams & { readonly kind?: DebateStep['kind'] }
> = (scope, params) => {
  const { program, progress } = new StateAtWork(scope, params);
  const step = nextStep(program.state as Debate, visitOf<DebateVisit>(progress).debate!);
  return step !== undefined && (params.kind === undefined || step.kind === params.kind);
};

const finishDebate: StateAction = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const { debate } = visitOf<DebateVisit>(progress);
    const result = debateResult(state.program.state as Debate, debate!);
    return leaveState(state, progress, state.program.flow.finish(state.run(progress), result));
  });

export const debateBehaviour = composed(budgetBehaviour, {
  guards: { hasNextStep },
  actions: { prepareDebate, storeStepAnswer, takeStepAnswers, dropStepAnswers, finishDebate },
  inputs: { debateCall },
});
