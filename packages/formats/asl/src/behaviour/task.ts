import { budgetBehaviour } from './budget.ts';
import { cacheBehaviour } from './cache.ts';
import { contextWindowBehaviour } from './context-window.ts';
import { guardrailsBehaviour } from './guardrails.ts';
import { memoryBehaviour } from './memory.ts';
import { reasoningBehaviour } from './reasoning.ts';
import { toolsBehaviour } from './tools.ts';
import { composed } from './part.ts';
import type { Action, Guard, Json, JsonObject } from '@dramaturg/compiler';
import { progressOf, type WorkflowContext } from '../context.ts';
import { completionOf } from '../flow/task.ts';
import type { Failure, Run } from '../flow/run.ts';
import { type Answer, usedBy } from '../flow/usage.ts';
import type { Task } from '../definition/index.ts';
import { callKey } from './call-key.ts';
import { preparing } from './recovery.ts';
import { failureOf } from './failure.ts';
import {
  type StateParams,
  StateAtWork,
  visitOf,
  within,
  type StateAction,
  type StateInputMaker,
} from './state-at-work.ts';
import { leftFor, spending } from './spending.ts';
import { makeToken } from './token.ts';

/** Spec: Agent 2 §Task State, Amazon #task-state */
export const prepareTask: StateAction = (scope, params) =>
  preparing(scope, params, (state, progress, visit) => {
    const { flow, limits, state: definition } = state.program;
    const completion = completionOf(definition as Task);
    const token = completion === 'answer' ? {} : { token: makeToken(scope.context, state.world) };
    const run = state.run({ ...progress, visit: { ...visit, ...token } });
    const selected = flow.select(run);
    const { timeout, heartbeat } = limits!(run, selected);
    const work = flow.prepare(run, selected);
    const idempotencyKey = idempotencyKeyOf(state, run);
    return state.effects(
      {
        ...progress,
        visit: {
          ...visit,
          ...token,
          work,
          ...(idempotencyKey !== undefined && { idempotencyKey }),
          ...(timeout !== undefined && { timeoutAt: state.world.now() + timeout }),
          ...(heartbeat !== undefined && { heartbeat }),
        },
      },
      completion === 'answer'
        ? []
        : [
            {
              type: 'task.scheduled',
              ...state.where(),
              ...token,
              resource: (definition as Task).Resource,
              input: work,
            },
          ],
    );
  });

/** What names the work, whoever does it and however often it is tried. Agent 8 §Idempotency */
function idempotencyKeyOf({ program, context, machine, progress }: StateAtWork, run: Run) {
  const key = program.idempotencyKey?.(run, run.input);
  if (key !== undefined) return typeof key === 'string' ? key : JSON.stringify(key);
  const { Idempotency: idempotency } = program.state as Task;
  if (!idempotency?.isGenerated) return undefined;
  const steps = progress.visit ? progress.steps : progress.steps + 1;
  return [context.execution.id, ...context.place, machine, steps].join('/');
}

/** The call that does the work: an agent by its name, or what Amazon's `Resource` names. */
export const taskCall: StateInputMaker = (scope, params) => {
  const { program, progress } = new StateAtWork(scope, params);
  const { Agent: agent, Resource: resource } = program.state as Task;
  return {
    key: callKey(scope.context, params.machine, 'work'),
    agent: agent ?? resource!,
    input: visitOf(progress).work!,
  };
};

/** The call of an agent that is looked after. */
export const agentCall: StateInputMaker = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { program, progress } = state;
  const {
    Agent: agent,
    Tools: tools,
    Reasoning: reasoning,
    Model: models,
    Generation: generation,
    Streaming: stream,
  } = program.state as Task;
  const visit = visitOf(progress);
  const { work, fallsBack, instead, complaints, rounds = 0, toolResults, idempotencyKey } = visit;
  const left = leftFor(state);
  const model = instead?.model ?? (fallsBack ? models?.fallback : models?.preferred);
  const again = (complaints?.length ?? 0) + rounds;
  return {
    // The first call has the key of a task without blocks.
    key: callKey(scope.context, params.machine, again === 0 ? 'work' : `work/${again}`),
    agent: instead?.agent ?? agent!,
    input: work!,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(model !== undefined && { model }),
    ...(generation && { generation: generation as JsonObject }),
    ...(stream && { stream: { ...stream } }),
    ...(left && { left }),
    ...(instead?.quality !== undefined && { quality: instead.quality }),
    ...(reasoning && {
      reasoning: {
        format: reasoning.format,
        ...(reasoning.minSteps !== undefined && { minSteps: reasoning.minSteps }),
        ...(reasoning.maxSteps !== undefined && { maxSteps: reasoning.maxSteps }),
      },
    }),
    ...(complaints && { complaints: [...complaints] }),
    ...(tools && {
      tools: {
        ...(tools.allowed && { allowed: [...tools.allowed] }),
        denied: [...tools.denied],
      },
      toolResults: [...(toolResults ?? [])],
    }),
  };
};

/** Takes the answer of an agent, for the phases that come. */
export const takeAnswer: StateAction<{ output: Answer }> = (scope, params) =>
  within(scope, params, (state, progress) => {
    const { output: answer } = scope.event;
    return spending(state, progress, [usedBy(answer)], (spent) =>
      state.effects({ ...spent, visit: { ...visitOf(spent), answer, isAgain: false } }),
    );
  });

/** Another model is asked, once, when the call has failed by a name that the definition lists. Agent 7 §Models */
export const mayFallBack: Guard<WorkflowContext, { error: unknown }, StateParams> = (
  scope,
  params,
) => {
  const { program, progress } = new StateAtWork(scope, params);
  const { fallbackOn: names } = (program.state as Task).Model!;
  const { error } = failureOf(scope.event.error);
  return !visitOf(progress).fallsBack && (names?.includes(error ?? '') ?? true);
};

export const fallBack: StateAction = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const visit = visitOf(state.progress);
  const { rounds = 0 } = visit;
  return state.effects({
    ...state.progress,
    visit: { ...visit, fallsBack: true, rounds: rounds + 1 },
  });
};

export interface Answered {
  /** The answer of the call, or of whoever had the token. */
  readonly output: unknown;
  readonly type: string;
}

export const finishTask: StateAction<Answered> = (scope, params) =>
  within(scope, params, (state, progress) => {
    const { answer: received, reasoning, outcome } = visitOf(progress);
    if (outcome) return state.left(progress, outcome);
    const answer = received ?? answerOf(scope.event);
    // What was received is counted already.
    return spending(state, progress, received ? [] : [usedBy(answer)], (spent) =>
      state.attempt(spent, () =>
        state.left(spent, state.program.flow.finish(state.run(spent), answer.result, reasoning)),
      ),
    );
  });

function answerOf({ type, output }: Answered): Answer {
  return type === 'task.succeeded' ? { result: output as Json } : (output as Answer);
}

export const timeOut: StateAction = (scope, params) =>
  failWith(scope, params, { error: 'States.Timeout', cause: null });

/** Nothing was heard of the task for too long. AWS reports it as a timeout. */
export const timeOutHeartbeat: StateAction = (scope, params) =>
  failWith(scope, params, { error: 'States.Timeout', cause: null, isSilence: true });

function failWith(
  scope: Parameters<Action<WorkflowContext>>[0],
  params: StateParams,
  failure: Failure,
) {
  const state = new StateAtWork(scope, params);
  return state.effects({ ...state.progress, failure });
}

export const timeoutTimer: StateInputMaker = (scope, params) => ({
  key: callKey(scope.context, params.machine, 'timeout'),
  at: visitOf(progressOf(scope.context, params.machine)).timeoutAt!,
});

/** Set anew with every heartbeat, so its key has the time in it. */
export const heartbeatTimer: StateInputMaker = (scope, params) => {
  const at = scope.world.now() + visitOf(progressOf(scope.context, params.machine)).heartbeat!;
  return { key: callKey(scope.context, params.machine, `heartbeat/${at}`), at };
};

export interface TokenEvent {
  readonly token: string;
  readonly error?: string;
  readonly cause?: string;
}

/** The event is about this very visit of the task. A token that was answered, or has timed out, is nobody's. */
export const hasMatchingToken: Guard<WorkflowContext, TokenEvent, StateParams> = (
  { context, event },
  { machine },
) => visitOf(progressOf(context, machine)).token === event.token;

export const tokenFailed: StateAction<TokenEvent> = (scope, params) =>
  failWith(scope, params, {
    error: scope.event.error ?? null,
    cause: scope.event.cause ?? null,
  });

export const taskBehaviour = composed(
  budgetBehaviour,
  cacheBehaviour,
  contextWindowBehaviour,
  guardrailsBehaviour,
  memoryBehaviour,
  reasoningBehaviour,
  toolsBehaviour,
  {
    guards: { hasMatchingToken, mayFallBack },
    actions: {
      prepareTask,
      takeAnswer,
      fallBack,
      finishTask,
      timeOut,
      timeOutHeartbeat,
      tokenFailed,
    },
    inputs: { taskCall, agentCall, timeoutTimer, heartbeatTimer },
  },
);
