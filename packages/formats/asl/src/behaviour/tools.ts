import type { Json, PortInput } from '@dramaturg/compiler';
import type { Guard } from '@dramaturg/compiler/format';
import {
  progressOf,
  visitOf,
  withVisit,
  type WorkflowContext,
  type WorkVisit,
} from '../context.ts';
import type { Task } from '../kinds/task/definition.ts';
import {
  addUse,
  toolCallsIn,
  type ToolResult,
  type ToolsProgram,
  type ToolsVisit,
} from '../flow/tools.ts';
import { usageOfCall } from '../flow/usage.ts';
import { callKey } from './call-key.ts';
import { failureOf } from './failure.ts';
import type { BehaviourPart } from './part.ts';
import { countUsage } from './spending.ts';
import {
  type StateAction,
  StateAtWork,
  type StateInputMaker,
  type StateParams,
  visitGuard,
  type WorkflowScope,
} from './state-at-work.ts';
import { continueState } from './state-steps.ts';

/** Stops an agent that keeps asking for tools. */
const roundsMax = 100;

/** Takes the tool calls that the agent asks for instead of an answer, if any. Spec: Agent 4 */
const takeToolCalls: StateAction = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const { answer, rounds = 0 } = visitOf<ToolsVisit & WorkVisit>(progress);
    const wanted = toolCallsIn(answer!.result);
    if (!wanted) return {};
    if (rounds >= roundsMax) {
      const cause = `The agent has asked for tools ${rounds} times without an answer.`;
      return state.effects({ ...progress, failure: { error: 'Agent.ToolError', cause } });
    }
    const next = { answer: undefined, rounds: rounds + 1, wanted };
    return state.effects(withVisit<ToolsVisit & WorkVisit>(progress, next));
  });

/** Refuses calls up to the first allowed call, which is made or waits for a rate limit. */
const nextTool: StateAction = (scope, params) =>
  continueState<ToolsProgram>(scope, params, (state, progress) => {
    const { tools } = state.program;
    const { wanted = [], toolResults = [] } = visitOf<ToolsVisit>(progress);
    const now = state.world.now();
    const refused: ToolResult[] = [];
    const events: { type: string; [field: string]: unknown }[] = [];
    let index = 0;
    for (; index < wanted.length; index += 1) {
      const call = tools.complete(wanted[index]!);
      const because = tools.refusal(call);
      if (because === undefined) break;
      refused.push({ ...call, error: because });
      events.push({ type: 'tool.refused', ...state.where(), tool: call.name, because });
    }
    const remaining = wanted.slice(index);
    const [first] = remaining;
    const next = withVisit<ToolsVisit>(progress, {
      heldUntil: undefined,
      isRefused: undefined,
      wanted: remaining,
      toolResults: [...toolResults, ...refused],
    });
    if (!first) return state.effects(next, events);
    const heldUntil = tools.freeAt(first.name, scope.context.toolUse ?? {}, now);
    if (heldUntil > now) {
      if (tools.waits(first.name)) {
        return state.effects(withVisit<ToolsVisit>(next, { heldUntil }), events);
      }
      const cause = `The tool "${first.name}" was used too often.`;
      return state.effects({ ...next, failure: { error: 'RateLimitExceeded', cause } }, events);
    }
    const call = tools.complete(first);
    const { hidesArguments } = (state.program.state as Task).Tools!;
    const shown = hidesArguments ? {} : { arguments: call.arguments };
    const effects = state.effects(next, [
      ...events,
      { type: 'tool.called', ...state.where(), tool: call.name, ...shown },
    ]);
    const toolUse = addUse(scope.context.toolUse, first.name, now);
    return { ...effects, context: { ...effects.context, toolUse } };
  });

/** The next tool waits for its rate limit. */
const mustToolWait = visitGuard<ToolsVisit>(({ heldUntil }) => heldUntil !== undefined);

const hasWantedTool = visitGuard<ToolsVisit>(({ wanted = [] }) => wanted.length > 0);

/** The agent has asked for tools instead of an answer. */
const hasAskedForTools = visitGuard<WorkVisit>(({ answer }) => answer === undefined);

const toolCall = (scope: WorkflowScope, params: StateParams): PortInput<'callTool'> => {
  const { program, progress } = new StateAtWork<ToolsProgram>(scope, params);
  const { wanted, toolResults = [] } = visitOf<ToolsVisit>(progress);
  const { name, arguments: given } = program.tools.complete(wanted![0]!);
  const key = callKey(scope.context, params.machine, `tool/${toolResults.length}`);
  const concurrency = program.tools.concurrency(name);
  return { key, tool: name, arguments: given, ...(concurrency && { concurrency }) };
};

export interface ToolAnswered {
  readonly output: { readonly result: Json };
}

const takeToolResult: StateAction<ToolAnswered> = (scope, params) =>
  continueState<ToolsProgram>(scope, params, (state, progress) => {
    const used = usageOfCall({ ...scope.event.output, result: null });
    return countUsage(state, progress, [used], (counted) => {
      const { wanted = [], toolResults = [] } = visitOf<ToolsVisit>(counted);
      const call = state.program.tools.complete(wanted[0]!);
      const result = state.program.tools.resultOf(call, scope.event.output.result);
      return state.effects(
        withVisit<ToolsVisit>(counted, {
          wanted: wanted.slice(1),
          toolResults: [...toolResults, result],
        }),
      );
    });
  });

/** Too many calls of the tool run at the same time, and this one does not wait. */
const isOverConcurrency: Guard<WorkflowContext, { error: unknown }, StateParams> = (
  scope,
  params,
) => {
  const { program, progress } = new StateAtWork<ToolsProgram>(scope, params);
  const { wanted = [] } = visitOf<ToolsVisit>(progress);
  const isLimited = program.tools.concurrency(wanted[0]!.name) !== undefined;
  return isLimited && failureOf(scope.event.error).error === 'RateLimitExceeded';
};

/** The error becomes the result of the tool, and the agent continues. */
const toolFailed: StateAction<{ error?: unknown }> = (scope, params) => {
  const state = new StateAtWork<ToolsProgram>(scope, params);
  const { wanted = [], toolResults = [] } = visitOf<ToolsVisit>(state.progress);
  const call = state.program.tools.complete(wanted[0]!);
  const { error: thrown } = scope.event;
  const error =
    thrown === undefined
      ? 'It took too long.'
      : thrown instanceof Error
        ? thrown.message
        : 'It has failed.';
  return state.effects(
    withVisit<ToolsVisit>(state.progress, {
      wanted: wanted.slice(1),
      toolResults: [...toolResults, { ...call, error }],
    }),
  );
};

const toolTimer: StateInputMaker = (scope, params) => {
  const { program, progress, world } = new StateAtWork(scope, params);
  const { toolResults = [] } = visitOf<ToolsVisit>(progress);
  const state = program.state as { Tools?: { timeout?: number } };
  return {
    key: callKey(scope.context, params.machine, `tool/${toolResults.length}/timeout`),
    at: world.now() + state.Tools!.timeout!,
  };
};

const toolPause: StateInputMaker = (scope, params) => {
  const progress = progressOf(scope.context, params.machine);
  const { heldUntil, toolResults = [] } = visitOf<ToolsVisit>(progress);
  return {
    key: callKey(scope.context, params.machine, `tool/${toolResults.length}/wait`),
    at: heldUntil!,
  };
};

export const toolsBehaviour = {
  guards: { isOverConcurrency, mustToolWait, hasWantedTool, hasAskedForTools },
  actions: { takeToolCalls, nextTool, takeToolResult, toolFailed },
  inputs: { toolCall, toolTimer, toolPause },
} satisfies BehaviourPart;
