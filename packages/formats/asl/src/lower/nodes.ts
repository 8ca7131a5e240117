import { type Chart, isRecord, type JsonObject, type PortInput } from '@dramaturg/compiler';
import type {
  ChartInvoke,
  ChartNode,
  ChartTransition,
  NodeMeta,
  Reference,
} from '@dramaturg/compiler/chart';
import { references } from '../behaviour/part.ts';
import type { sharedSpendingBehaviour } from '../behaviour/spending.ts';
import type { StateParams } from '../behaviour/state-at-work.ts';
import type { retryBehaviour, stateBehaviour } from '../behaviour/state.ts';
import type { Dialect, Machine, MissingPaths, State } from '../definition/machine.ts';
import type { HasNext, ProgressWeights, ReportingParallel } from '../definition/state.ts';
import { stateId } from '../names.ts';
import { readWorkflowBudget } from '../definition/budget.ts';
import { withWorkflowMemory } from '../definition/task-blocks.ts';

const refer = references<
  typeof stateBehaviour & typeof retryBehaviour & typeof sharedSpendingBehaviour
>();

/** The data for lowering a state: its machine, and where the machine leads. */
export interface NodeContext extends Shared {
  /** The machine's name: the id of its node, and the field of the context that holds its progress. */
  readonly machine: string;
  /** The id of the chart's own node: that of the workflow, or of the machine for an item. */
  readonly root: string;
  /** Where the last states of the machine lead. */
  readonly end: string;
  /** Where uncaught failures lead. */
  readonly fail: FailureExit;
}

/** The data that all machines of a workflow share. */
export interface Shared {
  readonly dialect: Dialect;
  readonly missing: MissingPaths;
  /** As authored. */
  readonly budget: JsonObject | undefined;
  /** As authored. */
  readonly memory: JsonObject | undefined;
  /** The weights of the workflow's states, when its progress is reported. */
  readonly share: ProgressWeights | undefined;
  /** Paths of data that no event may show; undefined without any. */
  readonly redact: readonly string[] | undefined;
  readonly circuit: PortInput<'runAgent'>['circuit'];
  /** The Parallel around the machine, when it reports progress. */
  readonly parallel: ReportingParallel | undefined;
  /** Lowers the states of a machine in a state, such as a branch. */
  readonly statesOf: (machine: Machine, context: NodeContext) => MachineStates;
  /** Lowers a machine that runs as an actor of its own, such as one for an item. */
  readonly chartOf: (machine: Machine, id: string, shared: Shared) => MachineChart;
  /** The fields of states that hold machines. */
  readonly machineFields: readonly string[];
}

/** The nodes of a machine's states, by their keys, and the key of the first. */
export interface MachineStates {
  readonly initial: string;
  readonly states: Nodes;
}

export type MachineChart = Pick<Chart, 'id' | 'output' | 'initial' | 'states' | 'meta'>;

interface FailureExit {
  readonly target: string;
  readonly actions?: readonly Reference[];
}

export function targetOf(context: NodeContext, name: string): string {
  return `#${stateId(context, name)}`;
}

/** The transition of a state that is done. */
export function leadOf(
  context: NodeContext,
  { Next: next, End: end, at }: Partial<HasNext> & Pick<State, 'at'>,
): ChartTransition {
  return end || next === undefined
    ? { target: context.end, meta: { origin: [...at, 'End'] } }
    : { target: targetOf(context, next), meta: { origin: [...at, 'Next'] } };
}

/** Puts a transition out of the machine, for a state that has failed, before `next`. */
export function withFailureExit(
  context: NodeContext,
  next: readonly ChartTransition[],
): ChartTransition[] {
  return [{ ...failureExitOf(context), guard: hasFailed(context) }, ...next];
}

export function failureExitOf({ fail }: NodeContext): ChartTransition {
  return fail.actions ? { target: fail.target, actions: fail.actions } : { target: fail.target };
}

function hasFailed({ machine }: NodeContext): Reference {
  return refer.guard('hasFailed', { machine });
}

/** The params of the behaviour of a state; `root` is the node that has the budget and the progress of the workflow. */
export function stateParams(context: NodeContext, id: string): StateParams {
  const { machine, budget, share, redact, circuit, root, parallel } = context;
  return {
    state: id,
    machine,
    ...((budget ?? share ?? redact ?? circuit) && { root }),
    ...(parallel && { within: parallel }),
  };
}

/** The meta of a state's node: the behaviour compiles expressions from it, and drawings show it. */
export function stateMeta(state: State, context: NodeContext): NodeMeta {
  const own = Object.entries(state.authored).flatMap(([field, value]) => {
    if (!context.machineFields.includes(field)) return [[field, value]];
    // Machines have nodes of their own. How they are run belongs to the state.
    const config = isRecord(value) ? value['ProcessorConfig'] : undefined;
    return config === undefined ? [] : [[field, { ProcessorConfig: config }]];
  });
  return {
    origin: state.at,
    title: state.name,
    state: { ...(Object.fromEntries(own) as JsonObject), ...filledIn(state, context) },
    language: state.QueryLanguage,
    dialect: context.dialect,
    ...(context.missing === 'null' && { missing: context.missing }),
  };
}

/** The workflow's defaults for its states. */
function filledIn(state: State, { memory: common }: NodeContext): JsonObject {
  const { Memory: memory } = state.authored as { Memory?: JsonObject };
  return {
    ...(state.Tools && { Tools: state.Tools.authored }),
    ...('Memory' in state && memory && common && { Memory: withWorkflowMemory(memory, common) }),
  };
}

/** Whether several runs share the budget of a workflow. */
export function isShared(budget: JsonObject | undefined): boolean {
  return readWorkflowBudget(budget)?.Shared !== undefined;
}

interface CountExits {
  readonly counted: ChartTransition;
  /** The transition when counting fails; without one, the cost is counted later. */
  readonly failed?: ChartTransition;
}

/** Has the uncounted cost counted. */
export function countingNode(
  id: string,
  { machine, root }: Pick<NodeContext, 'machine' | 'root'>,
  { counted, failed }: CountExits,
): ChartNode {
  const params = { machine, root };
  const onError = failed
    ? { ...failed, actions: [refer.action('countFailed', params), ...(failed.actions ?? [])] }
    : { ...counted, actions: [refer.action('keepUncounted', params)] };
  return {
    id,
    entry: [refer.action('beginCount', params)],
    invoke: [
      {
        id: `${id}:count`,
        src: 'countSpending',
        input: refer.input('spendingCall', params),
        onDone: [{ ...counted, actions: [refer.action('takeSpending', params)] }],
        onError: [onError],
      },
    ],
  };
}

/** The transition that first has uncounted cost counted, if there is any. */
export function throughCounting(node: string, machine: string): ChartTransition {
  return { target: node, guard: refer.guard('hasUncounted', { machine }) };
}

/** The nodes of a state, by their keys. */
export type Nodes = Readonly<Record<string, ChartNode>>;

/** A call of a port, or a timer. */
export interface NodeCall {
  /** The last part of its id. */
  readonly name: string;
  readonly src: Exclude<ChartInvoke['src'], 'each'>;
  readonly input: Reference;
  /** Where it leads: a node of the state, or transitions. */
  readonly done: string | readonly ChartTransition[];
  /** An action before the state handles the failure, or transitions; `taskFailed` when left out. */
  readonly failed?: Reference | readonly ChartTransition[];
}

/** The stages of a state whose work is a call or other states. */
interface Work {
  /** Prepares the work, on entering and for every retry. */
  readonly prepare: Reference;
  /** The nodes in which the state waits, by their keys; the first is the initial one. */
  readonly working: Nodes;
  /** Computes the output. */
  readonly finish: Reference;
}

/** Makes the nodes of a state that has several: names them, and leads failures to where the state handles them. */
export class StateNodes {
  readonly id: string;
  readonly context: NodeContext;
  readonly params: StateParams;
  readonly #state: State;

  constructor(state: State, id: string, context: NodeContext) {
    this.#state = state;
    this.id = id;
    this.context = context;
    this.params = stateParams(context, id);
  }

  /** The target of a node of the state. */
  to(key: string): string {
    return `#${this.id}:${key}`;
  }

  /**
   * The transition to where failures are handled, with these actions. In a state without retriers and catchers, a failure
   * leaves the machine immediately. Agent 8, Amazon #errors
   */
  failing(...own: readonly Reference[]): ChartTransition {
    const { Retry: retriers = [], Catch: catchers = [] } = this.#state;
    const exit: FailureExit =
      retriers.length + catchers.length > 0 ? { target: this.to('recovering') } : this.context.fail;
    const actions = [...own, ...(exit.actions ?? [])];
    return actions.length > 0 ? { target: exit.target, actions } : { target: exit.target };
  }

  /** The transition of a failure in an action. */
  get hasFailed(): ChartTransition {
    return { ...this.failing(), guard: hasFailed(this.context) };
  }

  /** A node that acts and leads on. */
  step(key: string, action: Reference | undefined, ...next: readonly ChartTransition[]): Nodes {
    const entry = action && { entry: [action] };
    return { [key]: { id: `${this.id}:${key}`, ...entry, always: [this.hasFailed, ...next] } };
  }

  /** A node that waits for a call. */
  call(key: string, call: NodeCall, own: Partial<ChartNode> = {}): Nodes {
    const { meta, ...before } = own;
    const invoke = [this.invoke(call)];
    return { [key]: { id: `${this.id}:${key}`, ...before, invoke, ...(meta && { meta }) } };
  }

  invoke({ name, src, input, done, failed }: NodeCall): ChartInvoke {
    const failure = failed ?? refer.action('taskFailed', this.params);
    return {
      id: `${this.id}:${name}`,
      src,
      input,
      onDone: typeof done === 'string' ? [{ target: this.to(done) }] : done,
      onError: 'type' in failure ? [this.failing(failure)] : failure,
    };
  }

  /** The node of the whole state, with three stages: it prepares, works and finishes. */
  whole({ prepare, working, finish }: Work): ChartNode {
    const { id, context } = this;
    const lead = leadOf(context, this.#state);
    const counts = isShared(context.budget);
    return {
      id,
      initial: 'preparing',
      states: {
        ...this.step('preparing', prepare, { target: Object.keys(working)[0]! }),
        ...working,
        ...this.step(
          'finishing',
          finish,
          ...(counts ? [throughCounting(this.to('settling'), context.machine)] : []),
          lead,
        ),
        ...(counts && { settling: countingNode(`${id}:settling`, context, { counted: lead }) }),
        ...this.#recovering(),
      },
      meta: stateMeta(this.#state, context),
    };
  }

  /** The nodes that retry and catch. */
  #recovering(): Nodes {
    const { Retry: retriers = [], Catch: catchers = [] } = this.#state;
    if (retriers.length + catchers.length === 0) return {};
    const { context, params } = this;
    const { machine } = context;
    const retries = { target: 'pausing', guard: refer.guard('isRetrying', { machine }) };
    const catches = catchers.map(({ ErrorEquals: errors, Next: next, at }, way) => ({
      target: targetOf(context, next),
      guard: refer.guard('isChosenWay', { machine, way }),
      description: `catches ${errors.join(', ')}`,
      meta: { origin: at },
    }));
    const again = [{ target: 'preparing' }];
    const input = refer.input('waitTimer', params);
    return {
      recovering: {
        id: `${this.id}:recovering`,
        entry: [refer.action('recover', params)],
        always: [...(retriers.length > 0 ? [retries] : []), ...catches, failureExitOf(context)],
      },
      ...(retriers.length > 0 &&
        this.call('pausing', { name: 'pause', src: 'timer', input, done: again, failed: again })),
    };
  }
}
