import type { ChartInvoke, ChartNode, ChartTransition, Reference } from '@dramaturg/compiler/chart';
import type { StateParams } from '../behaviour/state-at-work.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import {
  type ContextWindow,
  type GuardrailSide,
  idempotencyFields,
} from '../definition/task-blocks.ts';
import type { Tools } from '../definition/tools.ts';
import { readNodes, writeNodes } from '../kinds/memory/lowering.ts';
import type { reasoningBehaviour, taskBehaviour } from '../kinds/task/behaviour.ts';
import type { Task } from '../kinds/task/definition.ts';
import { readWorkflowBudget } from '../normalise/budget.ts';
import { budgetEntry, budgetNodes } from './budget.ts';
import { keepNodes, lookUpNodes } from './cache.ts';
import { contextNodes } from './context-window.ts';
import { guardrailNodes } from './guardrails.ts';
import {
  hasFailed,
  type NodeContext,
  type Recovery,
  recovery,
  stateParams,
  workNode,
} from './nodes.ts';
import { references } from '../behaviour/part.ts';
import { toolNodes } from './tools.ts';

/** The call of a task; an outer node has its time limit. */
export function callNode(
  state: Task,
  id: string,
  params: StateParams,
  recover: Recovery,
  asking: string,
): ChartNode {
  const fallback: ChartTransition = {
    target: asking,
    guard: refer.guard('mayFallBack', params),
    actions: [refer.action('fallBack', params)],
    // The target may be the node that made the call.
    reenter: true,
  };
  const call: ChartInvoke = {
    id: `${id}:work`,
    src: 'runAgent',
    input: refer.input('agentCall', params),
    onDone: [{ target: `#${id}:receiving` }],
    onError: [
      ...(state.Model?.fallback === undefined ? [] : [fallback]),
      recover.failing([refer.action('taskFailed', params)]),
    ],
  };
  const node = { id: `${id}:calling`, invoke: [call] };
  return state.HeartbeatSeconds ? { ...node, ...listening(id, params, recover) } : node;
}

/** A child node, so that a heartbeat restarts its timer and nothing else. */
export function listening(id: string, params: StateParams, recover: Recovery): Partial<ChartNode> {
  return {
    initial: 'listening',
    states: {
      listening: {
        id: `${id}:listening`,
        invoke: [
          timer(
            `${id}:heartbeat`,
            refer.input('heartbeatTimer', params),
            refer.action('timeOutHeartbeat', params),
            params,
            recover,
          ),
        ],
        on: {
          'task.heartbeat': [
            {
              target: `#${id}:listening`,
              guard: refer.guard('hasMatchingToken', params),
              actions: [refer.action('acceptToken', params)],
              reenter: true,
            },
          ],
        },
      },
    },
  };
}

export function timer(
  id: string,
  input: Reference,
  elapsed: Reference,
  params: StateParams,
  recover: Recovery,
): ChartInvoke {
  return {
    id,
    src: 'timer',
    input,
    onDone: [recover.failing([elapsed])],
    onError: [recover.failing([refer.action('taskFailed', params)])],
  };
}

const refer = references<
  typeof taskBehaviour & typeof reasoningBehaviour & typeof stateBehaviour
>();

/** The nodes of a phase of a task, by their keys; the first is the initial one. They lead to the next phase. */
type Phase = (next: ChartTransition) => Readonly<Record<string, ChartNode>>;

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
  const params = stateParams(context, id);
  const recover = recovery(state, id, context);
  const phases = new Phases(state, id, params, context, recover);
  const nodes = phases.all();
  const limit = (name: string, input: Reference, elapsed: Reference) =>
    timer(`${id}:${name}`, input, elapsed, params, recover);
  const timers = [
    ...(state.TimeoutSeconds
      ? [limit('timeout', refer.input('timeoutTimer', params), refer.action('timeOut', params))]
      : []),
    ...(hasDuration(state, context)
      ? [
          limit(
            'duration',
            refer.input('durationTimer', params),
            refer.action('endDuration', params),
          ),
        ]
      : []),
  ];
  return workNode(state, id, context, {
    recover,
    prepare: refer.action('prepareTask', params),
    working: {
      working: {
        id: `${id}:working`,
        initial: Object.keys(nodes)[0]!,
        ...(timers.length > 0 && { invoke: timers }),
        states: nodes,
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

class Phases {
  readonly #state: Task;
  readonly #id: string;
  readonly #params: StateParams;
  readonly #context: NodeContext;
  readonly #recover: Recovery;
  /** The transition to where the task continues with a cached answer, or after storing one. */
  #pastCache: ChartTransition | undefined;

  constructor(
    state: Task,
    id: string,
    params: StateParams,
    context: NodeContext,
    recover: Recovery,
  ) {
    this.#state = state;
    this.#id = id;
    this.#params = params;
    this.#context = context;
    this.#recover = recover;
  }

  all(): Readonly<Record<string, ChartNode>> {
    const {
      Guardrails: guardrails,
      Tools: tools,
      Memory: memory,
      Context: window,
      Reasoning: reasoning,
      Cache: cache,
    } = this.#state;
    const phases: readonly Phase[] = [
      ...(memory?.read ? [this.#read] : []),
      ...(window ? [this.#window(window)] : []),
      ...this.#guards('Input', guardrails?.Input),
      ...(cache ? [this.#lookUp] : []),
      ...(this.#context.budget ? [this.#budget] : []),
      this.#call,
      ...(tools ? [this.#tools(tools)] : []),
      ...(reasoning ? [this.#reasoning] : []),
      ...this.#guards('Output', guardrails?.Output),
      ...(cache ? [this.#keep] : []),
      ...(memory && memory.writes.length > 0 ? [this.#write] : []),
    ];
    let nodes: Record<string, ChartNode> = {};
    let next: ChartTransition = { target: `#${this.#id}:finishing` };
    for (const phase of phases.toReversed()) {
      const own = phase(next);
      nodes = { ...own, ...nodes };
      next = { target: `#${this.#id}:${Object.keys(own)[0]!}` };
    }
    return nodes;
  }

  readonly #read: Phase = (next) => readNodes(this.#id, this.#context, this.#recover, next);

  readonly #write: Phase = (next) => writeNodes(this.#id, this.#context, this.#recover, next);

  readonly #lookUp: Phase = (next) =>
    lookUpNodes(this.#id, this.#context, this.#recover, this.#pastCache!, next);

  readonly #keep: Phase = (next) => {
    this.#pastCache = next;
    return keepNodes(this.#id, this.#context, next);
  };

  readonly #budget: Phase = (next) => budgetNodes(this.#id, this.#context, this.#recover, [next]);

  #guards(name: 'Input' | 'Output', side: GuardrailSide | undefined): Phase[] {
    if (!side || side.rules.length === 0) return [];
    const at = { id: this.#id, context: this.#context, recover: this.#recover };
    const again = name === 'Output' ? this.#asking : undefined;
    return [(next) => guardrailNodes(name, side, at, again, next)];
  }

  #window(window: ContextWindow): Phase {
    return (next) => contextNodes(this.#id, window, this.#context, this.#recover, next);
  }

  readonly #reasoning: Phase = (next) => ({
    reasoning: {
      id: `${this.#id}:reasoning`,
      entry: [refer.action('takeReasoning', this.#params)],
      always: [{ ...this.#recover.failing(), guard: hasFailed(this.#context) }, next],
    },
  });

  #tools(tools: Tools): Phase {
    return (next) => toolNodes(this.#id, tools, this.#context, this.#recover, this.#asking, next);
  }

  /** The id of the node where the agent is asked, with a budget check if there is a budget. */
  get #asking(): string {
    return this.#context.budget ? budgetEntry(this.#id, this.#context) : `#${this.#id}:calling`;
  }

  readonly #call: Phase = (next) => ({
    calling: callNode(this.#state, this.#id, this.#params, this.#recover, this.#asking),
    receiving: {
      id: `${this.#id}:receiving`,
      entry: [refer.action('takeAnswer', this.#params)],
      always: [{ ...this.#recover.failing(), guard: hasFailed(this.#context) }, next],
    },
  });
}
