import type { ChartInvoke, ChartNode, ChartTransition, Reference } from '@dramaturg/compiler/chart';
import { references } from '../behaviour/part.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import { idempotencyFields } from '../definition/task-blocks.ts';
import { readNodes, writeNodes } from '../kinds/memory/memory.ts';
import type { reasoningBehaviour, taskBehaviour } from '../kinds/task/behaviour.ts';
import type { Task } from '../kinds/task/definition.ts';
import { readWorkflowBudget } from '../definition/budget.ts';
import { budgetEntry, budgetNodes } from '../behaviour/budget.ts';
import { keepNodes, lookUpNodes } from './cache.ts';
import { contextNodes } from '../behaviour/context-window.ts';
import { guardrailNodes } from '../behaviour/guardrails.ts';
import { type NodeContext, type Nodes, StateNodes } from './nodes.ts';
import { toolNodes } from '../behaviour/tools.ts';

const refer = references<
  typeof taskBehaviour & typeof reasoningBehaviour & typeof stateBehaviour
>();

/** The call of a task; an outer node has its time limit. */
function callNode(state: Task, nodes: StateNodes, asking: string): Nodes {
  const { params } = nodes;
  const fallback: ChartTransition = {
    target: asking,
    guard: refer.guard('mayFallBack', params),
    actions: [refer.action('fallBack', params)],
    // The target may be the node that made the call.
    reenter: true,
  };
  const call = nodes.invoke({
    name: 'work',
    src: 'runAgent',
    input: refer.input('agentCall', params),
    done: 'receiving',
    failed: [
      ...(state.Model?.fallback === undefined ? [] : [fallback]),
      nodes.failing(refer.action('taskFailed', params)),
    ],
  });
  const listens = state.HeartbeatSeconds && listening(nodes);
  return { calling: { id: `${nodes.id}:calling`, invoke: [call], ...listens } };
}

/** A child node, so that a heartbeat restarts its timer and nothing else. */
export function listening(nodes: StateNodes): Partial<ChartNode> {
  const { params } = nodes;
  const timer = timeLimit(
    nodes,
    'heartbeat',
    refer.input('heartbeatTimer', params),
    refer.action('timeOutHeartbeat', params),
  );
  const heartbeat: ChartTransition = {
    target: nodes.to('listening'),
    guard: refer.guard('hasMatchingToken', params),
    actions: [refer.action('acceptToken', params)],
    reenter: true,
  };
  const node = {
    id: `${nodes.id}:listening`,
    invoke: [timer],
    on: { 'task.heartbeat': [heartbeat] },
  };
  return { initial: 'listening', states: { listening: node } };
}

export function timeLimit(
  nodes: StateNodes,
  name: string,
  input: Reference,
  elapsed: Reference,
): ChartInvoke {
  return nodes.invoke({ name, src: 'timer', input, done: [nodes.failing(elapsed)] });
}

/** The nodes of a phase of a task, by their keys; the first is the initial one. They lead to the next phase. */
type Phase = (next: ChartTransition) => Nodes;

/** Fields that say how the agent is called. */
const callFields = ['Model', 'Generation', 'Streaming', ...Object.keys(idempotencyFields)];

/** Whether there is more to a task than its call. */
export function hasBlocks(state: Task, context: NodeContext): boolean {
  if (state.Agent === undefined) return false;
  const { Budget, Guardrails, Tools, Memory, Context, Reasoning, Cache, authored } = state;
  const blocks = [Budget, Guardrails, Tools, Memory, Context, Reasoning, Cache];
  return (
    [context.budget, ...blocks].some((block) => block !== undefined) ||
    callFields.some((field) => Object.hasOwn(authored, field))
  );
}

/**
 * A task with blocks: each block of the definition is a phase before the call or after it. All phases are children of
 * `working`, so that `TimeoutSeconds` limits the whole.
 */
export function agentTaskNode(state: Task, id: string, context: NodeContext): ChartNode {
  const nodes = new StateNodes(state, id, context);
  const { params } = nodes;
  const states = phasesOf(state, nodes);
  const duration = refer.action('endDuration', params);
  const timers = [
    ...(state.TimeoutSeconds
      ? [
          timeLimit(
            nodes,
            'timeout',
            refer.input('timeoutTimer', params),
            refer.action('timeOut', params),
          ),
        ]
      : []),
    ...(hasDuration(state, context)
      ? [timeLimit(nodes, 'duration', refer.input('durationTimer', params), duration)]
      : []),
  ];
  return nodes.whole({
    prepare: refer.action('prepareTask', params),
    working: {
      working: {
        id: `${id}:working`,
        initial: Object.keys(states)[0]!,
        ...(timers.length > 0 && { invoke: timers }),
        states,
      },
    },
    finish: refer.action('finishTask', params),
  });
}

/** Whether a budget ends the work at some time. */
function hasDuration({ Budget: own }: Task, context: NodeContext): boolean {
  if (own?.MaxDuration !== undefined) return true;
  const { MaxDuration: shared, OnExceed: onExceed } = readWorkflowBudget(context.budget) ?? {};
  return shared !== undefined && onExceed === 'Fail';
}

function phasesOf(state: Task, nodes: StateNodes): Nodes {
  const { Guardrails: guardrails, Tools: tools, Memory: memory, Context: window } = state;
  const { params, context } = nodes;
  /** The id of the node where the agent is asked, with a budget check if there is a budget. */
  const asking = context.budget ? budgetEntry(nodes) : nodes.to('calling');
  /** The transition to where the task continues with a cached answer, or after storing one. */
  let pastCache: ChartTransition | undefined;
  const guards = (name: 'Input' | 'Output', again?: string): Phase | undefined => {
    const side = guardrails?.[name];
    if (!side || side.rules.length === 0) return undefined;
    return (next) => guardrailNodes(nodes, name, side, again, next);
  };
  const call: Phase = (next) => ({
    ...callNode(state, nodes, asking),
    ...nodes.step('receiving', refer.action('takeAnswer', params), next),
  });
  const phases: readonly (Phase | false | undefined)[] = [
    memory?.read && ((next) => readNodes(nodes, next)),
    window && ((next) => contextNodes(nodes, window, next)),
    guards('Input'),
    state.Cache && ((next) => lookUpNodes(nodes, pastCache!, next)),
    context.budget && ((next) => budgetNodes(nodes, [next])),
    call,
    tools && ((next) => toolNodes(nodes, tools, asking, next)),
    state.Reasoning &&
      ((next) => nodes.step('reasoning', refer.action('takeReasoning', params), next)),
    guards('Output', asking),
    state.Cache &&
      ((next) => {
        pastCache = next;
        return keepNodes(nodes, next);
      }),
    memory && memory.writes.length > 0 && ((next) => writeNodes(nodes, next)),
  ];
  let all: Nodes = {};
  let next: ChartTransition = { target: nodes.to('finishing') };
  for (const phase of phases.toReversed()) {
    if (!phase) continue;
    const own = phase(next);
    all = { ...own, ...all };
    next = { target: nodes.to(Object.keys(own)[0]!) };
  }
  return all;
}
