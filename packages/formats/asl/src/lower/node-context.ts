import type { Chart, JsonObject, Path, PortInput } from '@dramaturg/compiler';
import type { ChartNode, ChartTransition, Reference } from '@dramaturg/compiler/chart';
import type { Dialect, HasNext, Machine, MissingPaths } from '../definition/index.ts';
import type { StateParams } from '../behaviour/state-at-work.ts';
import type { ProgressWeights, ReportingParallel } from '../definition/progress.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import { stateId } from '../names.ts';
import { references } from './references.ts';

const refer = references<typeof stateBehaviour>();

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
