import type { Json, JsonObject, PortInput } from '@dramaturg/compiler';
import type { ChartTransition, Reference } from '@dramaturg/compiler/chart';
import type { Action, Guard } from '@dramaturg/compiler/format';
import {
  progressOf,
  visitOf,
  withVisit,
  type WorkflowContext,
  type WorkVisit,
} from '../context.ts';
import { compileTemplate } from '../data/template.ts';
import type { Hook, HookName, Tools } from '../definition/tools.ts';
import type { Dialect } from '../definition/machine.ts';
import { evaluation } from '../flow/jsonpath-flow.ts';
import { type Answer, type Run, usageOfCall, usageOfFailedCall } from '../flow/run.ts';
import {
  addUse,
  toolCallsIn,
  type ToolResult,
  type ToolsProgram,
  type ToolsVisit,
} from '../flow/tools.ts';
import type { Task } from '../kinds/task/definition.ts';
import type { Nodes, StateNodes } from '../lower/nodes.ts';
import { paidCall, paidEntry } from './budget.ts';
import {
  callKey,
  failureOf,
  type StateAction,
  StateAtWork,
  type StateInputMaker,
  type StateParams,
  visitGuard,
  type WorkflowScope,
} from './state-at-work.ts';
import { verdictOf } from './guardrails.ts';
import { type BehaviourPart, references } from './part.ts';
import { budgetFields, countUsage } from './spending.ts';
import { continueState } from './state-steps.ts';
import type { stateBehaviour } from './state.ts';

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

const refer = references<
  typeof toolsBehaviour & typeof toolHooksBehaviour & typeof stateBehaviour
>();

/** Where a hook leads. */
interface HookExits {
  readonly next: string;
  /** After a hook has refused a call. */
  readonly refused: string;
}

/** The nodes of a hook around the calls of tools. */
function hookNodes(name: HookName, nodes: StateNodes, { next, refused }: HookExits): Nodes {
  const { context } = nodes;
  const params = { ...nodes.params, hook: name };
  const key = hookKey(name);
  const isBefore = name === 'Before';
  const [take, fail]: [Reference, Reference] = isBefore
    ? [refer.action('takeBefore', nodes.params), refer.action('beforeFailed', nodes.params)]
    : [refer.action('takeAfter', nodes.params), refer.action('afterFailed', nodes.params)];
  const done = { target: nodes.to(`${key}Done`) };
  const calling = `${key}Calling`;
  const guard = refer.guard('isToolRefused', { machine: context.machine });
  return {
    ...nodes.step(key, refer.action('planHook', params), { target: paidEntry(nodes, calling) }),
    ...paidCall(nodes, calling, {
      name: `${key}:call`,
      src: 'runAgent',
      input: refer.input('hookCall', params),
      done: [{ ...done, actions: [take] }],
      failed: [{ ...done, actions: [fail] }],
    }),
    ...nodes.step(`${key}Done`, undefined, ...(isBefore ? [{ target: refused, guard }] : []), {
      target: next,
    }),
  };
}

function hookKey(name: HookName): string {
  return `hook${name}`;
}

/**
 * Calls the tools that an agent asks for, one after another, then asks the agent again with the results.
 *
 * @param asking where the agent is asked
 * @param next where it leads when the agent has answered
 */
export function toolNodes(
  nodes: StateNodes,
  tools: Tools,
  asking: string,
  next: ChartTransition,
): Nodes {
  const { params } = nodes;
  const { machine } = nodes.context;
  const choosing = nodes.to('choosingTool');
  const { hooks } = tools;
  const around = (name: HookName, otherwise: string) =>
    hooks[name] ? nodes.to(hookKey(name)) : otherwise;
  const nodesOf = (name: HookName, done: string) =>
    hooks[name] ? hookNodes(name, nodes, { next: done, refused: choosing }) : {};
  const failed: ChartTransition[] = [
    { target: around('OnError', choosing), actions: [refer.action('toolFailed', params)] },
  ];
  const isLimited = Object.values(tools.limits).some(({ concurrent }) => concurrent !== undefined);
  const overLimit = {
    ...nodes.failing(refer.action('taskFailed', params)),
    guard: refer.guard('isOverConcurrency', params),
  };
  const call = nodes.invoke({
    name: 'tool',
    src: 'callTool',
    input: refer.input('toolCall', params),
    done: 'toolDone',
    failed: isLimited ? [overLimit, ...failed] : failed,
  });
  const timeout = nodes.invoke({
    name: 'toolTimeout',
    src: 'timer',
    input: refer.input('toolTimer', params),
    done: failed,
  });
  return {
    ...nodes.step(
      'reading',
      refer.action('takeToolCalls', params),
      { target: choosing, guard: refer.guard('hasAskedForTools', { machine }) },
      next,
    ),
    ...nodes.step(
      'choosingTool',
      refer.action('nextTool', params),
      { target: nodes.to('toolWaiting'), guard: refer.guard('mustToolWait', { machine }) },
      {
        target: around('Before', nodes.to('usingTool')),
        guard: refer.guard('hasWantedTool', { machine }),
      },
      { target: asking },
    ),
    ...nodes.call('toolWaiting', {
      name: 'toolPause',
      src: 'timer',
      input: refer.input('toolPause', params),
      done: 'choosingTool',
    }),
    usingTool: {
      id: `${nodes.id}:usingTool`,
      invoke: tools.timeout === undefined ? [call] : [call, timeout],
    },
    ...nodes.step('toolDone', refer.action('takeToolResult', params), {
      target: around('After', choosing),
    }),
    ...nodesOf('Before', nodes.to('usingTool')),
    ...nodesOf('After', choosing),
    ...nodesOf('OnError', choosing),
  };
}
