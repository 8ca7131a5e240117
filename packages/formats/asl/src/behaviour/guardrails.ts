import type { Json, PortInput } from '@dramaturg/compiler';
import type { Action } from '@dramaturg/compiler/format';
import {
  type Progress,
  progressOf,
  visitOf,
  withVisit,
  type WorkflowContext,
  type WorkVisit,
} from '../context.ts';
import { toText } from '../data/to-text.ts';
import type { GuardrailRule, GuardrailSide } from '../definition/index.ts';
import type { Task } from '../kinds/task/definition.ts';
import {
  type Finding,
  type GuardrailsProgram,
  type GuardrailsVisit,
  verdictOf,
  verdictOfChoice,
} from '../flow/guardrails.ts';
import { limitReached } from '../flow/retry.ts';
import type { Failure } from '../flow/run.ts';
import type { ToolsVisit } from '../flow/tools.ts';
import { type Answer, usageOfCall, usageOfFailedCall } from '../flow/usage.ts';
import {
  callKey,
  StateAtWork,
  type StateParams,
  visitGuard,
  type WorkflowScope,
} from './state-at-work.ts';
import { failureOf } from './failure.ts';
import type { BehaviourPart } from './part.ts';
import { budgetFields, countUsage } from './spending.ts';
import { continueState } from './state-steps.ts';

export interface GuardrailParams extends StateParams {
  readonly side: 'Input' | 'Output';
  /** The range of rules: the index of the first, and the index after the last. */
  readonly from: number;
  readonly to: number;
}

type GuardrailAction<Event = unknown> = Action<WorkflowContext, Event, GuardrailParams>;

/** Checks the input or output by rules that need no judge. Spec: Agent 5 §Guardrails */
const checkGuardrails: GuardrailAction = (scope, params) =>
  continueState<GuardrailsProgram>(scope, params, (state, progress) => {
    const { checks } = state.program;
    const side = sideOf(state, params);
    let outcome: CheckOutcome = { progress, emit: [] };
    for (let index = params.from; index < params.to; index += 1) {
      const rule = side.rules[index]!;
      const found = checks[params.side][index]!(guardedValue(outcome.progress, params));
      if (found) outcome = applyRule(state, outcome, rule, found, params);
      if (outcome.isOver) break;
    }
    return outcome.emit.length === 0 ? {} : state.effects(outcome.progress, outcome.emit);
  });

interface CheckOutcome {
  readonly progress: Progress;
  readonly emit: readonly { type: string; [field: string]: unknown }[];
  /** No further rules apply: the state fails, or the agent answers again. */
  readonly isOver?: true;
}

function sideOf({ program }: StateAtWork, { side }: GuardrailParams): GuardrailSide {
  return (program.state as Task).Guardrails![side]!;
}

function guardedValue(progress: Progress, { side }: GuardrailParams): Json {
  const { work, answer } = visitOf<WorkVisit>(progress);
  return side === 'Input' ? work! : answer!.result;
}

/** Applies the action of a broken rule. Agent 5 §Actions */
function applyRule(
  state: StateAtWork,
  { progress, emit }: CheckOutcome,
  { name, action: authored }: GuardrailRule,
  { because, cleaned }: Finding,
  params: GuardrailParams,
): CheckOutcome {
  const { complaints = [], answer } = visitOf<GuardrailsVisit & WorkVisit>(progress);
  const isInput = params.side === 'Input';
  const mayRetry = authored === 'retry' && complaints.length < sideOf(state, params).retries;
  const action = authored === 'retry' && !mayRetry ? 'block' : authored;
  const events = [
    ...emit,
    {
      type: 'guardrail.violated',
      ...state.where(),
      side: isInput ? 'input' : 'output',
      rule: name,
      action,
      because,
    },
  ];
  if (action === 'warn') return { progress, emit: events };
  if (action === 'retry') {
    const again = { complaints: [...complaints, because], isAgain: true };
    return {
      progress: withVisit<GuardrailsVisit>(progress, again),
      emit: events,
      isOver: true,
    };
  }
  if ((action === 'redact' || action === 'mask') && cleaned !== undefined) {
    const change = isInput ? { work: cleaned } : { answer: { ...answer!, result: cleaned } };
    return { progress: withVisit<WorkVisit>(progress, change), emit: events };
  }
  const cause = `The ${isInput ? 'input' : 'output'} breaks the guardrail "${name}": ${because}`;
  const failure = { error: 'Agent.GuardrailViolation', cause };
  return { progress: { ...progress, failure }, emit: events, isOver: true };
}

/** Asks a model whether the value keeps a rule in words. */
const semanticCall = (scope: WorkflowScope, params: GuardrailParams): PortInput<'choose'> => {
  const state = new StateAtWork(scope, params);
  const rule = sideOf(state, params).rules[params.from] as GuardrailRule & { type: 'semantic' };
  const value = guardedValue(state.progress, params);
  return {
    key: judgementKey(scope, params),
    transcript: { conversation: scope.context.execution.id, length: 0 },
    prompt: [
      { title: 'Rule', text: rule.check },
      { title: 'Text', text: toText(value), data: true },
    ],
    options: [
      { id: 'holds', description: 'The text keeps the rule.' },
      { id: 'broken', description: 'The text breaks the rule.' },
    ],
    requiresJudgement: true,
  };
};

/** Calls an agent as the judge. */
const judgeCall = (scope: WorkflowScope, params: GuardrailParams): PortInput<'runAgent'> => {
  const state = new StateAtWork(scope, params);
  const rule = sideOf(state, params).rules[params.from] as GuardrailRule & { type: 'custom' };
  const value = guardedValue(state.progress, params);
  return {
    key: judgementKey(scope, params),
    agent: rule.agent,
    input: { value, side: params.side.toLowerCase(), rule: rule.name },
    ...budgetFields(state),
  };
};

function judgementKey(scope: WorkflowScope, { machine, side, from }: GuardrailParams): string {
  const progress = progressOf(scope.context, machine);
  const { complaints = [], rounds = 0 } = visitOf<GuardrailsVisit & ToolsVisit>(progress);
  return callKey(
    scope.context,
    machine,
    `guard/${side.toLowerCase()}/${from}/${complaints.length}/${rounds}`,
  );
}

export interface Judged {
  readonly output: Answer | { readonly option: string; readonly reason?: string };
}

/** Applies the verdict of the judge. */
const takeVerdict: GuardrailAction<Judged> = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const { output } = scope.event;
    const used = usageOfCall('option' in output ? { ...output, result: null } : output);
    const found = 'option' in output ? verdictOfChoice(output) : verdictOf(output.result);
    return countUsage(state, progress, [used], (counted) => {
      if (found === 'allowed') return state.effects(counted);
      if (found === undefined) {
        const failure = notJudged(state, params, 'The judge gave no verdict.');
        return state.effects({ ...counted, failure });
      }
      const rule = sideOf(state, params).rules[params.from]!;
      const outcome = applyRule(state, { progress: counted, emit: [] }, rule, found, params);
      return state.effects(outcome.progress, outcome.emit);
    });
  });

/** A value that cannot be judged is refused, whatever the action of the rule. */
const judgeFailed: GuardrailAction<{ error: unknown }> = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { error } = scope.event;
  const failure = failureOf(error);
  return countUsage(state, state.progress, [usageOfFailedCall(error)], (counted) =>
    state.effects({
      ...counted,
      failure:
        failure.error === limitReached
          ? failure
          : notJudged(state, params, failure.cause ?? failure.error ?? 'The judge has failed.'),
    }),
  );
};

function notJudged(state: StateAtWork, params: GuardrailParams, because: string): Failure {
  const side = params.side.toLowerCase();
  const { name } = sideOf(state, params).rules[params.from]!;
  return {
    error: 'Agent.GuardrailNotJudged',
    cause: `The ${side} could not be judged by the guardrail "${name}": ${because}`,
  };
}

/** The agent has to answer again, with the complaints in its input. */
const mustTryAgain = visitGuard<GuardrailsVisit>(({ isAgain }) => isAgain === true);

export const guardrailsBehaviour = {
  guards: { mustTryAgain },
  actions: { checkGuardrails, takeVerdict, judgeFailed },
  inputs: { semanticCall, judgeCall },
} satisfies BehaviourPart;
