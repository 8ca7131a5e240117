import type { BehaviourPart } from './part.ts';
import { type Effects, type Guard, type Json, isRecord, type PortInput } from '@dramaturg/compiler';
import { type Progress, progressOf, type WorkflowContext } from '../context.ts';
import type { GuardrailRule, GuardrailSide, Task } from '../definition/index.ts';
import { type Finding, verdictOf } from '../flow/guardrails.ts';
import { type Answer, usedBy } from '../flow/usage.ts';
import { callKey } from './call-key.ts';
import {
  type MachineParams,
  StateAtWork,
  type StateParams,
  visitOf,
  within,
  type WorkflowScope,
  type StateAction,
} from './state-at-work.ts';
import { meansFor, spending } from './spending.ts';

export interface GuardParams extends StateParams {
  readonly side: 'Input' | 'Output';
  /** The places of rules in their list: from the first, to behind the last. */
  readonly from: number;
  readonly to: number;
}

/** Looks at what goes in or what has come out by some rules that need nobody's judgement. Spec: Agent 5 §Guardrails */
export const checkGuardrails = (
  scope: WorkflowScope,
  params: GuardParams,
): Effects<WorkflowContext> =>
  within(scope, params, (state, progress) => {
    const { checks } = state.program;
    const side = sideOf(state, params);
    let course: Course = { progress, emit: [] };
    for (let index = params.from; index < params.to; index += 1) {
      const rule = side.rules[index]!;
      const found = checks![params.side][index]!(guarded(course.progress, params));
      if (found) course = broken(state, course, rule, found, params);
      if (course.isOver) break;
    }
    return course.emit.length === 0 ? {} : state.effects(course.progress, course.emit);
  });

interface Course {
  readonly progress: Progress;
  readonly emit: { type: string; [field: string]: unknown }[];
  readonly isOver?: true;
}

function sideOf({ program }: StateAtWork, { side }: GuardParams): GuardrailSide {
  return (program.state as Task).Guardrails![side]!;
}

function guarded(progress: Progress, { side }: GuardParams): Json {
  const { work, answer } = visitOf(progress);
  return side === 'Input' ? work! : answer!.result;
}

/** What becomes of a value that breaks a rule. Agent 5 §Actions */
function broken(
  state: StateAtWork,
  { progress, emit }: Course,
  { name, action }: GuardrailRule,
  { because, cleaned }: Finding,
  params: GuardParams,
): Course {
  const visit = visitOf(progress);
  const isInput = params.side === 'Input';
  const { complaints = [] } = visit;
  const mayRetry = action === 'retry' && complaints.length < sideOf(state, params).retries;
  const done = action === 'retry' && !mayRetry ? 'block' : action;
  const told = [
    ...emit,
    {
      type: 'guardrail.violated',
      ...state.where(),
      side: isInput ? 'input' : 'output',
      rule: name,
      action: done,
      because,
    },
  ];
  if (done === 'warn') return { progress, emit: told };
  if (done === 'retry') {
    const again = { ...visit, complaints: [...complaints, because], isAgain: true };
    return { progress: { ...progress, visit: again }, emit: told, isOver: true };
  }
  if ((done === 'redact' || done === 'mask') && cleaned !== undefined) {
    const kept = isInput ? { work: cleaned } : { answer: { ...visit.answer!, result: cleaned } };
    return { progress: { ...progress, visit: { ...visit, ...kept } }, emit: told };
  }
  const cause = `The ${isInput ? 'input' : 'output'} breaks the guardrail "${name}": ${because}`;
  const failure = { error: 'Agent.GuardrailViolation', cause };
  return { progress: { ...progress, failure }, emit: told, isOver: true };
}

/** Asks whether what a rule says in words holds. */
export const semanticCall = (scope: WorkflowScope, params: GuardParams): PortInput<'choose'> => {
  const state = new StateAtWork(scope, params);
  const rule = sideOf(state, params).rules[params.from] as GuardrailRule & { type: 'semantic' };
  const value = guarded(state.progress, params);
  return {
    key: judgementKey(scope, params),
    transcript: { conversation: scope.context.execution.id, length: 0 },
    prompt: [
      { title: 'Rule', text: rule.check },
      { title: 'Text', text: textOf(value), data: true },
    ],
    options: [
      { id: 'holds', description: 'The text keeps the rule.' },
      { id: 'broken', description: 'The text breaks the rule.' },
    ],
  };
};

/** Asks an agent to judge. */
export const judgeCall = (scope: WorkflowScope, params: GuardParams): PortInput<'runAgent'> => {
  const state = new StateAtWork(scope, params);
  const rule = sideOf(state, params).rules[params.from] as GuardrailRule & { type: 'custom' };
  const value = guarded(state.progress, params);
  return {
    key: judgementKey(scope, params),
    agent: rule.agent,
    input: { value, side: params.side.toLowerCase(), rule: rule.name },
    ...meansFor(state),
  };
};

function judgementKey(scope: WorkflowScope, { machine, side, from }: GuardParams): string {
  const { complaints = [], rounds = 0 } = visitOf(progressOf(scope.context, machine));
  return callKey(
    scope.context,
    machine,
    `guard/${side.toLowerCase()}/${from}/${complaints.length}/${rounds}`,
  );
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export interface Judged {
  readonly output: Answer | { readonly option: string; readonly reason?: string };
}

/** Takes the judgement of whoever was asked. */
export const takeVerdict: StateAction<Judged> = (scope, params) =>
  within(scope, params, (state, progress) => {
    const { output } = scope.event;
    const guards = params as GuardParams;
    const used = usedBy('option' in output ? { ...output, result: null } : output);
    const found =
      'option' in output
        ? output.option === 'holds'
          ? undefined
          : { because: output.reason ?? 'The judge has not approved it.' }
        : verdictOf(isRecord(output) ? output.result : null);
    return spending(state, progress, [used], (spent) => {
      if (!found) return state.effects(spent);
      const rule = sideOf(state, guards).rules[guards.from]!;
      const course = broken(state, { progress: spent, emit: [] }, rule, found, guards);
      return state.effects(course.progress, course.emit);
    });
  });

/** The agent is asked again, and told what was wrong. */
export const mustTryAgain: Guard<WorkflowContext, unknown, MachineParams> = (
  { context },
  { machine },
) => visitOf(progressOf(context, machine)).isAgain === true;

export const guardrailsBehaviour = {
  guards: { mustTryAgain },
  actions: { checkGuardrails, takeVerdict },
  inputs: { semanticCall, judgeCall },
} satisfies BehaviourPart;
