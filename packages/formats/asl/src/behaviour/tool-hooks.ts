import type { Json, JsonObject, PortInput } from '@dramaturg/compiler';
import type { Action } from '@dramaturg/compiler/format';
import { visitOf, withVisit, type WorkflowContext } from '../context.ts';
import { compileTemplate } from '../data/template.ts';
import type { Dialect } from '../definition/index.ts';
import type { Task } from '../kinds/task/definition.ts';
import type { Hook, HookName } from '../definition/tools.ts';
import { verdictOf } from '../flow/guardrails.ts';
import { evaluation } from '../flow/jsonpath-flow.ts';
import type { Run } from '../flow/run.ts';
import type { ToolResult, ToolsProgram, ToolsVisit } from '../flow/tools.ts';
import { type Answer, usageOfCall, usageOfFailedCall } from '../flow/usage.ts';
import { callKey } from './call-key.ts';
import { failureOf } from './failure.ts';
import type { BehaviourPart } from './part.ts';
import { budgetFields, countUsage } from './spending.ts';
import {
  type StateAction,
  StateAtWork,
  type StateParams,
  visitGuard,
  type WorkflowScope,
} from './state-at-work.ts';
import { continueState } from './state-steps.ts';

export interface HookParams extends StateParams {
  readonly hook: HookName;
}

/** Prepares the input of a hook, as the input of a call must not fail. Spec: Agent 4 §Hooks */
const planHook: Action<WorkflowContext, unknown, HookParams> = (scope, params) =>
  continueState<ToolsProgram>(scope, params, (state, progress) => {
    const { program } = state;
    const hook = (program.state as Task).Tools!.hooks[params.hook]!;
    const about = aboutCall(state, params.hook === 'Before');
    const input = hookInput(hook, state.run(progress), about, program.dialect);
    return state.effects(withVisit<ToolsVisit>(progress, { hookInput: input }));
  });

/** Asks the agent of a hook. */
const hookCall = (scope: WorkflowScope, params: HookParams): PortInput<'runAgent'> => {
  const state = new StateAtWork<ToolsProgram>(scope, params);
  const { progress, program } = state;
  const hook = (program.state as Task).Tools!.hooks[params.hook]!;
  const { toolResults = [], hookInput: input } = visitOf<ToolsVisit>(progress);
  const done = toolResults.length - (params.hook === 'Before' ? 0 : 1);
  return {
    key: callKey(scope.context, params.machine, `tool/${done}/${params.hook.toLowerCase()}`),
    agent: hook.agent,
    input: input!,
    ...budgetFields(state),
  };
};

function aboutCall(
  { progress, program }: StateAtWork<ToolsProgram>,
  isBefore: boolean,
): JsonObject {
  const { wanted = [], toolResults = [] } = visitOf<ToolsVisit>(progress);
  const { name, arguments: given } = isBefore
    ? program.tools.complete(wanted[0]!)
    : toolResults.at(-1)!;
  const toolRequest = { tool: name, arguments: given };
  if (isBefore) return { toolRequest };
  const last = toolResults.at(-1)!;
  const toolResponse: JsonObject =
    'result' in last ? { result: last.result } : { error: last.error };
  return { toolRequest, toolResponse };
}

export interface HookAnswered {
  readonly output: Answer;
}

/** The hook before a call may refuse it. */
const takeBefore: StateAction<HookAnswered> = (scope, params) =>
  continueState<ToolsProgram>(scope, params, (state, progress) => {
    const { output } = scope.event;
    return countUsage(state, progress, [usageOfCall(output)], (counted) => {
      const because = refusalOfHook(output.result);
      if (because !== undefined) return refuse(state, counted, because);
      return state.effects(withVisit<ToolsVisit>(counted, { isRefused: undefined }));
    });
  });

/** A call that a hook could not check is not made. */
const beforeFailed: StateAction<{ error: unknown }> = (scope, params) => {
  const state = new StateAtWork<ToolsProgram>(scope, params);
  const { error } = scope.event;
  return countUsage(state, state.progress, [usageOfFailedCall(error)], (counted) =>
    refuse(state, counted, `The hook before the tool has failed: ${reasonOf(error)}`),
  );
};

function refuse(
  state: StateAtWork<ToolsProgram>,
  progress: StateAtWork['progress'],
  because: string,
) {
  const { wanted = [], toolResults = [] } = visitOf<ToolsVisit>(progress);
  const call = state.program.tools.complete(wanted[0]!);
  const next = withVisit<ToolsVisit>(progress, {
    isRefused: true,
    wanted: wanted.slice(1),
    toolResults: [...toolResults, { ...call, error: because }],
  });
  return state.effects(next, [
    { type: 'tool.refused', ...state.where(), tool: call.name, because },
  ]);
}

/** The hook after a call may withhold its result from the agent. */
const takeAfter: StateAction<HookAnswered> = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const { output } = scope.event;
    return countUsage(state, progress, [usageOfCall(output)], (counted) =>
      state.effects(withhold(counted, refusalOfHook(output.result))),
    );
  });

/** A result that a hook could not check is withheld. */
const afterFailed: StateAction<{ error: unknown }> = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { error } = scope.event;
  return countUsage(state, state.progress, [usageOfFailedCall(error)], (counted) =>
    state.effects(withhold(counted, `The hook after the tool has failed: ${reasonOf(error)}`)),
  );
};

function withhold(progress: StateAtWork['progress'], because: string | undefined) {
  const { toolResults = [] } = visitOf<ToolsVisit>(progress);
  const last = toolResults.at(-1)!;
  if (because === undefined || 'error' in last) return progress;
  const withheld: ToolResult = { name: last.name, arguments: last.arguments, error: because };
  return withVisit<ToolsVisit>(progress, { toolResults: [...toolResults.slice(0, -1), withheld] });
}

function reasonOf(thrown: unknown): string {
  const { error, cause } = failureOf(thrown);
  return cause ?? error ?? 'no reason is given';
}

const isToolRefused = visitGuard<ToolsVisit>(({ isRefused }) => isRefused === true);

export const toolHooksBehaviour = {
  guards: { isToolRefused },
  actions: { planHook, takeBefore, beforeFailed, takeAfter, afterFailed },
  inputs: { hookCall },
} satisfies BehaviourPart;

/** The input of a hook: its template, filled with the tool call and its outcome. Agent 4 §Hooks */
function hookInput({ parameters }: Hook, run: Run, about: JsonObject, dialect: Dialect): Json {
  if (parameters === undefined) return about;
  return compileTemplate(parameters, dialect, 'Parameters')(evaluation(run, about));
}

/** Why a hook refuses; undefined when it does not. An answer without a verdict refuses nothing. */
function refusalOfHook(result: Json): string | undefined {
  const verdict = verdictOf(result);
  return typeof verdict === 'object' ? verdict.because : undefined;
}
