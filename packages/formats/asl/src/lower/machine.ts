import type { ChartNode } from '@dramaturg/compiler/chart';
import type { Machine } from '../definition/index.ts';
import { kindOf } from '../kinds.ts';
import { stateId, stateKey } from '../names.ts';
import {
  type MachineChart,
  type MachineStates,
  type NodeContext,
  type Shared,
} from './node-context.ts';
import type { workflowBehaviour } from '../behaviour/workflow.ts';
import { references } from './references.ts';
import { isShared } from './shared-budget.ts';

const refer = references<typeof workflowBehaviour>();

/** Lowers a machine to a chart of its own: the workflow, or the machine for an item of a Map. */
export function machineChart(machine: Machine, id: string, shared: Shared): MachineChart {
  const { budget, share, redact, circuit } = shared;
  // The spending of an item is counted by its Map.
  const settles = id === workflowId && isShared(budget);
  const endOf = (name: string) => `#${id}:${settles ? settlingEnd(name) : `%${name}`}`;
  const context: NodeContext = {
    ...shared,
    machine: id,
    root: id,
    end: endOf('succeeded'),
    fail: { target: endOf('failed') },
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
    meta: {
      origin: machine.at,
      ...(budget && { budget }),
      ...(share && { share: { ...share } }),
      ...(redact && { redact: [...redact] }),
      ...(circuit && { circuit }),
    },
  };
}

/** The id of the machine of a whole workflow. */
export const workflowId = 'workflow';

/** The key of the node before an end of a workflow whose budget several runs share. */
export function settlingEnd(name: string): string {
  return `%${name}Settling`;
}

export function endingNode(machine: string, name: string, title: string): ChartNode {
  return { id: `${machine}:%${name}`, type: 'final', meta: { title } };
}

/** The nodes of a machine's states, by their keys, and the key of the first. */
export function machineStates(
  { StartAt: first, States: states }: Machine,
  context: NodeContext,
): MachineStates {
  return {
    initial: stateKey(first),
    states: Object.fromEntries(
      states.map((state) => [
        stateKey(state.name),
        reentered(kindOf(state.Type).node(state, stateId(context, state.name), context)),
      ]),
    ),
  };
}

/** XState enters a node that leads to itself again only if the transition says so. */
function reentered(node: ChartNode): ChartNode {
  if (node.always === undefined) return node;
  const always = node.always.map((transition) =>
    transition.target === `#${node.id}` ? { ...transition, reenter: true } : transition,
  );
  return { ...node, always };
}
