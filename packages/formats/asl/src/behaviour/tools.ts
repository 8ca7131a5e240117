import type { BehaviourPart } from './part.ts';
import type { Guard, Json, PortInput } from '@dramaturg/compiler';
import { progressOf, type Visit, type WorkflowContext } from '../context.ts';
import { type ToolResult, used, wantedTools } from '../flow/tools.ts';
import { usedBy } from '../flow/usage.ts';
import { callKey } from './call-key.ts';
import {
  type MachineParams,
  StateAtWork,
  type StateParams,
  visitOf,
  within,
  type WorkflowScope,
  type StateAction,
  type StateInputMaker,
} from './state-at-work.ts';
import { spending } from './spending.ts';

/** An agent that keeps asking for tools never answers. */
const mostRounds = 100;

/** Takes what tools the agent wants, if its answer is no answer yet. Spec: Agent 4 */
export const takeToolCalls: StateAction = (scope, params) =>
  within(scope, params, (state, progress) => {
    const wanted = wantedTools(visitOf(progress).answer!.result);
    if (!wanted) return {};
    const { answer: _, rounds = 0, ...visit } = visitOf(progress);
    if (rounds >= mostRounds) {
      const cause = `The agent has asked for tools ${rounds} times without an answer.`;
      return state.effects({ ...progress, failure: { error: 'Agent.ToolError', cause } });
    }
    return state.effects({ ...progress, visit: { ...visit, rounds: rounds + 1, wanted } });
  });

/** Which tool is next: those that may not be used are refused at once. */
export const nextTool: StateAction = (scope, params) =>
  within(scope, params, (state, progress) => {
    const { tools } = state.program;
    const { wanted = [], toolResults = [], heldUntil: _, ...visit } = visitOf(progress);
    const now = state.world.now();
    const refused: ToolResult[] = [];
    const told: { type: string; [field: string]: unknown }[] = [];
    let at = 0;
    for (; at < wanted.length; at += 1) {
      const call = tools!.complete(wanted[at]!);
      const because = tools!.refusal(call);
      if (because === undefined) break;
      refused.push({ ...call, error: because });
      told.push({ type: 'tool.refused', ...state.where(), tool: call.name, because });
    }
    const left = wanted.slice(at);
    const results = [...toolResults, ...refused];
    const next: Visit = { ...visit, wanted: left, toolResults: results };
    const [first] = left;
    if (!first) return state.effects({ ...progress, visit: next }, told);
    const free = tools!.freeAt(first.name, scope.context.toolUse ?? {}, now);
    if (free > now) {
      if (tools!.waits(first.name)) {
        return state.effects({ ...progress, visit: { ...next, heldUntil: free } }, told);
      }
      const cause = `The tool "${first.name}" was used too often.`;
      const failure = { error: 'RateLimitExceeded', cause };
      return state.effects({ ...progress, visit: next, failure }, told);
    }
    const call = tools!.complete(first);
    const effects = state.effects({ ...progress, visit: next }, [
      ...told,
      { type: 'tool.called', ...state.where(), tool: call.name, arguments: call.arguments },
    ]);
    const toolUse = used(scope.context.toolUse, first.name, now);
    return { ...effects, context: { ...effects.context, toolUse } };
  });

/** What the agent wants is put off: a tool was used too often. */
export const mustToolWait: Guard<WorkflowContext, unknown, MachineParams> = (
  { context },
  { machine },
) => visitOf(progressOf(context, machine)).heldUntil !== undefined;

export const hasWantedTool: Guard<WorkflowContext, unknown, MachineParams> = (
  { context },
  { machine },
) => (visitOf(progressOf(context, machine)).wanted?.length ?? 0) > 0;

/** The answer was no answer: tools were asked for. */
export const hasAskedForTools: Guard<WorkflowContext, unknown, MachineParams> = (
  { context },
  { machine },
) => visitOf(progressOf(context, machine)).answer === undefined;

export const toolCall = (scope: WorkflowScope, params: StateParams): PortInput<'callTool'> => {
  const { program, progress } = new StateAtWork(scope, params);
  const { wanted, toolResults = [] } = visitOf(progress);
  const { name, arguments: given } = program.tools!.complete(wanted![0]!);
  const key = callKey(scope.context, params.machine, `tool/${toolResults.length}`);
  return { key, tool: name, arguments: given };
};

export interface ToolAnswered {
  readonly output: { readonly result: Json };
}

export const takeToolResult: StateAction<ToolAnswered> = (scope, params) =>
  within(scope, params, (state, progress) =>
    spending(state, progress, [usedBy({ ...scope.event.output, result: null })], (spent) => {
      const { wanted = [], toolResults = [], ...visit } = visitOf(spent);
      const call = state.program.tools!.complete(wanted[0]!);
      const result = state.program.tools!.taken(call, scope.event.output.result);
      return state.effects({
        ...spent,
        visit: { ...visit, wanted: wanted.slice(1), toolResults: [...toolResults, result] },
      });
    }),
  );

/** The agent hears that a tool has failed, and goes on without it. */
export const toolFailed: StateAction<{ error?: unknown }> = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { wanted = [], toolResults = [], ...visit } = visitOf(state.progress);
  const call = state.program.tools!.complete(wanted[0]!);
  const { error: thrown } = scope.event;
  const error =
    thrown === undefined
      ? 'It took too long.'
      : thrown instanceof Error
        ? thrown.message
        : 'It has failed.';
  return state.effects({
    ...state.progress,
    visit: {
      ...visit,
      wanted: wanted.slice(1),
      toolResults: [...toolResults, { ...call, error }],
    },
  });
};

export const toolTimer: StateInputMaker = (scope, params) => {
  const { program, progress, world } = new StateAtWork(scope, params);
  const { toolResults = [] } = visitOf(progress);
  const state = program.state as { Tools?: { timeout?: number } };
  return {
    key: callKey(scope.context, params.machine, `tool/${toolResults.length}/timeout`),
    at: world.now() + state.Tools!.timeout!,
  };
};

export const toolPause: StateInputMaker = (scope, params) => {
  const { heldUntil, toolResults = [] } = visitOf(progressOf(scope.context, params.machine));
  return {
    key: callKey(scope.context, params.machine, `tool/${toolResults.length}/wait`),
    at: heldUntil!,
  };
};

export const toolsBehaviour = {
  guards: { mustToolWait, hasWantedTool, hasAskedForTools },
  actions: { takeToolCalls, nextTool, takeToolResult, toolFailed },
  inputs: { toolCall, toolTimer, toolPause },
} satisfies BehaviourPart;
