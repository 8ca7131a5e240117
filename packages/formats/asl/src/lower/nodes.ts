import {
  type Chart,
  isRecord,
  type JsonObject,
  type Path,
  type PortInput,
} from '@dramaturg/compiler';
import type { ChartNode, ChartTransition, NodeMeta, Reference } from '@dramaturg/compiler/chart';
import { references } from '../behaviour/part.ts';
import type { sharedSpendingBehaviour } from '../behaviour/spending.ts';
import type { StateParams } from '../behaviour/state-at-work.ts';
import type { retryBehaviour, stateBehaviour } from '../behaviour/state.ts';
import type { Machine, State } from '../definition/machine.ts';
import type { ProgressWeights, ReportingParallel } from '../definition/progress.ts';
import type { HasRecovery } from '../definition/retry.ts';
import type { HasNext } from '../definition/state.ts';
import type { Dialect, MissingPaths } from '../definition/workflow.ts';
import { stateId } from '../names.ts';
import { readWorkflowBudget } from '../normalise/budget.ts';
import { withWorkflowMemory } from '../normalise/task-blocks.ts';

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
  readonly states: Readonly<Record<string, ChartNode>>;
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
  { Next: next, End: end, at }: HasNext & Placed,
): ChartTransition {
  return end || next === undefined
    ? { target: context.end, meta: { origin: [...at, 'End'] } }
    : { target: targetOf(context, next), meta: { origin: [...at, 'Next'] } };
}

interface Placed {
  readonly at: Path;
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

export function hasFailed({ machine }: NodeContext): Reference {
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

/** How a state handles failures. Agent 8, Amazon #errors */
export interface Recovery {
  /** The transition to where failures are handled, with these actions. */
  readonly failing: (actions?: readonly Reference[]) => ChartTransition;
  /** Child nodes of the state, by their keys. */
  readonly nodes: Readonly<Record<string, ChartNode>>;
}

/** The nodes that retry and catch. In a state without retriers and catchers, a failure leaves the machine immediately. */
export function recovery(state: HasRecovery, id: string, context: NodeContext): Recovery {
  if (state.Retry.length === 0 && state.Catch.length === 0) {
    const { target } = context.fail;
    return {
      failing: (actions = []) => withActions(target, [...actions, ...(context.fail.actions ?? [])]),
      nodes: {},
    };
  }
  const params = stateParams(context, id);
  const { machine } = context;
  const retries = { target: 'pausing', guard: refer.guard('isRetrying', { machine }) };
  const catches = state.Catch.map(({ ErrorEquals: errors, Next: next, at }, way) => ({
    target: targetOf(context, next),
    guard: refer.guard('isChosenWay', { machine, way }),
    description: `catches ${errors.join(', ')}`,
    meta: { origin: at },
  }));
  const recovering: ChartNode = {
    id: `${id}:recovering`,
    entry: [refer.action('recover', params)],
    always: [...(state.Retry.length > 0 ? [retries] : []), ...catches, failureExitOf(context)],
  };
  const pausing: ChartNode = {
    id: `${id}:pausing`,
    invoke: [
      {
        id: `${id}:pause`,
        src: 'timer',
        input: refer.input('waitTimer', params),
        onDone: [{ target: 'preparing' }],
        onError: [{ target: 'preparing' }],
      },
    ],
  };
  return {
    failing: (actions = []) => withActions(`#${id}:recovering`, actions),
    nodes: { recovering, ...(state.Retry.length > 0 && { pausing }) },
  };
}

function withActions(target: string, actions: readonly Reference[]): ChartTransition {
  return actions.length > 0 ? { target, actions } : { target };
}

/** A state whose work is a call or other states. */
interface Work {
  readonly recover: Recovery;
  /** Prepares the work, on entering and for every retry. */
  readonly prepare: Reference;
  /** The nodes in which the state waits, by their keys; the first is the initial one. */
  readonly working: Readonly<Record<string, ChartNode>>;
  /** Computes the output. */
  readonly finish: Reference;
}

/** A node with three stages: it prepares, works and finishes. `recover` handles failures. */
export function workNode(
  state: State & HasNext,
  id: string,
  context: NodeContext,
  { recover, prepare, working, finish }: Work,
): ChartNode {
  const failing = { ...recover.failing(), guard: hasFailed(context) };
  const lead = leadOf(context, state);
  const counts = isShared(context.budget);
  return {
    id,
    initial: 'preparing',
    states: {
      preparing: {
        id: `${id}:preparing`,
        entry: [prepare],
        always: [failing, { target: Object.keys(working)[0]! }],
      },
      ...working,
      finishing: {
        id: `${id}:finishing`,
        entry: [finish],
        always: [
          failing,
          ...(counts ? [throughCounting(`#${id}:settling`, context.machine)] : []),
          lead,
        ],
      },
      ...(counts && { settling: countingNode(`${id}:settling`, context, { counted: lead }) }),
      ...recover.nodes,
    },
    meta: stateMeta(state, context),
  };
}
