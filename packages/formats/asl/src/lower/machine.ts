import type { ChartNode } from '@dramaturg/compiler';
import type { Machine } from '../definition/index.ts';
import { kindOf } from '../kinds.ts';
import {
  type MachineChart,
  type MachineStates,
  type NodeContext,
  type Shared,
  stateId,
  stateKey,
} from './node-context.ts';
import type { workflowBehaviour } from '../behaviour/workflow.ts';
import { references } from './references.ts';

const refer = references<typeof workflowBehaviour>();

/** Lowers a machine to a chart of its own: the workflow, or what a Map runs for an item. */
export function machineChart(machine: Machine, id: string, shared: Shared): MachineChart {
  const { budget, share } = shared;
  const context: NodeContext = {
    ...shared,
    machine: id,
    root: id,
    end: `#${id}:%succeeded`,
    fail: { target: `#${id}:%failed` },
  };
  const { initial, states } = machineStates(machine, context);
  return {
    id,
    output: refer.output('outcome', { machine: id }),
    initial,
    states: {
      ...states,
      '%succeeded': endingNode(id, 'succeeded', 'succeeded'),
      '%failed': endingNode(id, 'failed', 'failed'),
    },
    meta: { origin: machine.at, ...(budget && { budget }), ...(share && { share: { ...share } }) },
  };
}

export function endingNode(machine: string, name: string, title: string): ChartNode {
  return { id: `${machine}:%${name}`, type: 'final', meta: { title } };
}

/** The nodes of a machine's states, by their keys, and the first of them. */
export function machineStates(
  { StartAt: first, States: states }: Machine,
  context: NodeContext,
): MachineStates {
  return {
    initial: stateKey(first),
    states: Object.fromEntries(
      states.map((state) => [
        stateKey(state.name),
        kindOf(state.Type).node(state, stateId(context, state.name), context),
      ]),
    ),
  };
}
