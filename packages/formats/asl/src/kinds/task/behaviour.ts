import type { Json, JsonObject } from '@dramaturg/compiler';
import type { Guard } from '@dramaturg/compiler/format';
import { budgetBehaviour } from '../../behaviour/budget.ts';
import { cacheBehaviour } from '../../behaviour/cache.ts';
import {
  callKey,
  failureOf,
  type StateAction,
  StateAtWork,
  type StateInputMaker,
  type StateParams,
} from '../../behaviour/state-at-work.ts';
import { contextWindowBehaviour } from '../../behaviour/context-window.ts';
import { guardrailsBehaviour, type GuardrailsVisit } from '../../behaviour/guardrails.ts';
import { type BehaviourPart, composed } from '../../behaviour/part.ts';
import {
  countUsage,
  durationEnd,
  durationExceeded,
  remainingBudget,
} from '../../behaviour/spending.ts';
import { continueState, leaveState, prepareState } from '../../behaviour/state-steps.ts';
import { toolHooksBehaviour, toolsBehaviour } from '../../behaviour/tools.ts';
import {
  progressOf,
  visitOf,
  withVisit,
  type WorkflowContext,
  type WorkVisit,
} from '../../context.ts';
import { toText } from '../../data/states-error.ts';
import { completionOf, hasToken, type Task, type TaskVisit } from './definition.ts';
import type { TaskProgram } from './program.ts';
import type { BudgetVisit } from '../../flow/budget.ts';
import { type ReasoningVisit, splitReasoning } from '../../flow/reasoning.ts';
import { type Answer, type Failure, type Run, usageOfCall } from '../../flow/run.ts';
import type { ToolsVisit } from '../../flow/tools.ts';
import { createToken } from '../map/behaviour.ts';
import { memoryBehaviour } from '../memory/memory.ts';

/** Separates the reasoning of an agent from its answer. Spec: Agent 5 §Reasoning */
const takeReasoning: StateAction = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const { answer: received } = visitOf<WorkVisit>(progress);
    const wanted = (state.program.state as Task).Reasoning!;
    const { result, reasoning } = splitReasoning(received!.result, wanted);
    const answer = { ...received, result };
    if (reasoning === undefined) return state.effects(withVisit<WorkVisit>(progress, { answer }));
    const stored = wanted.store === undefined ? {} : { reasoning };
    const next = withVisit<WorkVisit & ReasoningVisit>(progress, { answer, ...stored });
    return state.effects(next, [
      { type: 'reasoning.recorded', ...state.where(), format: wanted.format, reasoning },
    ]);
  });

export const reasoningBehaviour = { actions: { takeReasoning } } satisfies BehaviourPart;

type Visit = TaskVisit & WorkVisit;

/** Spec: Agent 2 §Task State, Amazon #task-state */
const prepareTask: StateAction = (scope, params) =>
  prepareState<TaskProgram>(scope, params, (state, progress) => {
    const { flow, timeLimits, state: definition } = state.program;
    // A retry does not begin after the end of its budget.
    if (state.world.now() > durationEnd(state, progress)) {
      return state.effects({ ...progress, failure: durationExceeded(state, progress) });
    }
    const isAnswered = completionOf(definition as Task) === 'answer';
    const token = hasToken(definition as Task)
      ? createToken(scope.context, state.world)
      : undefined;
    const tokenFields = token === undefined ? {} : { token, tokenSince: state.world.now() };
    const withToken = withVisit<Visit>(progress, tokenFields);
    const run = state.run(withToken);
    const selected = flow.select(run);
    const { timeout, heartbeat } = timeLimits(run, selected);
    const work = flow.prepare(run, selected);
    const idempotencyKey = idempotencyKeyOf(state, run);
    const next = withVisit<Visit>(withToken, {
      work,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(timeout !== undefined && { timeoutAt: state.world.now() + timeout }),
      ...(heartbeat !== undefined && { heartbeat }),
    });
    if (isAnswered) return state.effects(next);
    const { Resource: resource } = definition as Task;
    return state.effects(next, [
      { type: 'task.scheduled', ...state.where(), token, resource, input: work },
    ]);
  });

/** The key of the work, the same for every attempt. Agent 8 §Idempotency */
function idempotencyKeyOf(
  { program, context, machine, progress }: StateAtWork<TaskProgram>,
  run: Run,
) {
  const key = program.idempotencyKey?.(run, run.input);
  if (key !== undefined) return toText(key);
  const { Idempotency: idempotency } = program.state as Task;
  if (!idempotency?.isGenerated) return undefined;
  const steps = progress.visit ? progress.steps : progress.steps + 1;
  return [context.execution.id, ...context.place, machine, steps].join('/');
}

/** The call of an agent, or of Amazon's `Resource`. */
const taskCall: StateInputMaker = (scope, params) => {
  const { program, progress, circuit } = new StateAtWork(scope, params);
  const { Agent: agent, Resource: resource } = program.state as Task;
  const { work, token } = visitOf<Visit>(progress);
  return {
    key: callKey(scope.context, params.machine, 'work'),
    agent: agent ?? resource!,
    input: work!,
    ...circuit,
    ...(token !== undefined && { token }),
  };
};

/** The call of an agent with blocks. */
const agentCall: StateInputMaker = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { program, progress } = state;
  const {
    Agent: agent,
    Tools: tools,
    Reasoning: reasoning,
    Model: models,
    Generation: generation,
    Streaming: stream,
    Guardrails: guardrails,
  } = program.state as Task;
  const form = guardrails?.Output?.rules.find(({ type }) => type === 'schema');
  const { work, fallsBack, idempotencyKey, token } = visitOf<Visit>(progress);
  const { instead } = visitOf<BudgetVisit>(progress);
  const { complaints } = visitOf<GuardrailsVisit>(progress);
  const { rounds = 0, toolResults } = visitOf<ToolsVisit>(progress);
  const remaining = remainingBudget(state);
  const model = instead?.model ?? (fallsBack ? models?.fallback : models?.preferred);
  const repeats = (complaints?.length ?? 0) + rounds;
  return {
    // The first call has the same key as that of a task without blocks.
    key: callKey(scope.context, params.machine, repeats === 0 ? 'work' : `work/${repeats}`),
    agent: instead?.agent ?? agent!,
    input: work!,
    ...state.circuit,
    ...(token !== undefined && { token }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(model !== undefined && { model }),
    ...(generation && { generation: generation as JsonObject }),
    ...(stream && { stream: { ...stream } }),
    ...(remaining && { left: remaining }),
    ...(instead?.quality !== undefined && { quality: instead.quality }),
    ...(reasoning && {
      reasoning: {
        format: reasoning.format,
        ...(reasoning.minSteps !== undefined && { minSteps: reasoning.minSteps }),
        ...(reasoning.maxSteps !== undefined && { maxSteps: reasoning.maxSteps }),
      },
    }),
    ...(form?.type === 'schema' && { schema: form.schema }),
    ...(complaints && { complaints: [...complaints] }),
    ...(tools && {
      tools: {
        ...(tools.allowed && { allowed: [...tools.allowed] }),
        denied: [...tools.denied],
        ...(tools.limiting.length > 0 && { limits: [...tools.limiting] }),
      },
      toolResults: [...(toolResults ?? [])],
    }),
  };
};

/** Takes the answer of an agent with blocks, for the phases after the call. */
const takeAnswer: StateAction<{ output: Answer }> = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const { output: answer } = scope.event;
    return countUsage(state, progress, [usageOfCall(answer)], (counted) =>
      state.effects(withVisit<GuardrailsVisit & Visit>(counted, { answer, isAgain: false })),
    );
  });

/** The fallback model applies, once, if the definition lists the error of the call. Agent 7 §Models */
const mayFallBack: Guard<WorkflowContext, { error: unknown }, StateParams> = (scope, params) => {
  const { program, progress } = new StateAtWork(scope, params);
  const { fallbackOn: names } = (program.state as Task).Model!;
  const { error } = failureOf(scope.event.error);
  return !visitOf<Visit>(progress).fallsBack && (names?.includes(error ?? '') ?? true);
};

const fallBack: StateAction = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { rounds = 0 } = visitOf<ToolsVisit>(state.progress);
  const next = { fallsBack: true, rounds: rounds + 1 } as const;
  return state.effects(withVisit<TaskVisit & ToolsVisit>(state.progress, next));
};

export interface Answered {
  /** The answer of the call, or the output in `task.succeeded`. */
  readonly output: unknown;
  readonly type: string;
}

export const finishTask: StateAction<Answered> = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const { answer: received, reasoning, outcome } = visitOf<ReasoningVisit & Visit>(progress);
    if (outcome) return leaveState(state, progress, outcome);
    const answer = received ?? answerOf(scope.event);
    // The usage of an answer that was received before is already counted.
    return countUsage(state, progress, received ? [] : [usageOfCall(answer)], (counted) =>
      state.attempt(counted, () => {
        const { flow } = state.program;
        const finished = flow.finish(state.run(counted), answer.result, reasoning);
        return leaveState(state, counted, finished);
      }),
    );
  });

function answerOf({ type, output }: Answered): Answer {
  return type === 'task.succeeded' ? { result: output as Json } : (output as Answer);
}

export const timeOut: StateAction = (scope, params) =>
  failWith(scope, params, { error: 'States.Timeout', cause: null });

/** Time is up: the call is stopped. */
const endDuration: StateAction = (scope, params) => {
  const state = new StateAtWork(scope, params);
  return failWith(scope, params, durationExceeded(state, state.progress));
};

const durationTimer: StateInputMaker = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const at = durationEnd(state, state.progress);
  return { key: callKey(scope.context, params.machine, 'duration'), at };
};

/** A missed heartbeat. AWS reports it as a timeout. */
const timeOutHeartbeat: StateAction = (scope, params) =>
  failWith(scope, params, { error: 'States.Timeout', cause: null, isSilence: true });

function failWith(scope: Parameters<StateAction>[0], params: StateParams, failure: Failure) {
  const state = new StateAtWork(scope, params);
  return state.effects({ ...state.progress, failure });
}

export const timeoutTimer: StateInputMaker = (scope, params) => ({
  key: callKey(scope.context, params.machine, 'timeout'),
  at: visitOf<WorkVisit>(progressOf(scope.context, params.machine)).timeoutAt!,
});

/** Every heartbeat restarts the timer, so the key contains the time. */
const heartbeatTimer: StateInputMaker = (scope, params) => {
  const { heartbeat } = visitOf<TaskVisit>(progressOf(scope.context, params.machine));
  const at = scope.world.now() + heartbeat!;
  return { key: callKey(scope.context, params.machine, `heartbeat/${at}`), at };
};

interface TokenEvent {
  readonly token: string;
  readonly error?: string;
  readonly cause?: string;
}

/** The event is about this visit. A token of a task that was answered or has timed out matches no visit. */
const hasMatchingToken: Guard<WorkflowContext, TokenEvent, StateParams> = (
  { context, event },
  { machine },
) => visitOf<TaskVisit>(progressOf(context, machine)).token === event.token;

/** Without this event, the sender of an event with a token does not know that a task has it. */
const acceptToken: StateAction<TokenEvent & { readonly type: string }> = (scope, params) => {
  const { type: event, token } = scope.event;
  return {
    emit: [{ type: 'task.accepted', ...new StateAtWork(scope, params).where(), event, token }],
  };
};

const tokenFailed: StateAction<TokenEvent> = (scope, params) =>
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
  toolHooksBehaviour,
  {
    guards: { hasMatchingToken, mayFallBack },
    actions: {
      prepareTask,
      takeAnswer,
      fallBack,
      finishTask,
      timeOut,
      endDuration,
      timeOutHeartbeat,
      acceptToken,
      tokenFailed,
    },
    inputs: { taskCall, agentCall, timeoutTimer, durationTimer, heartbeatTimer },
  },
);
