import type { Chart, ChartNode } from '@dramaturg/compiler';
import type { Machine, Pass, State } from '../definition/index.ts';
import { agentTaskNode, hasBlocks } from './task-phases.ts';
import { approvalNode } from './approval.ts';
import { checkpointNode } from './checkpoint.ts';
import { compositionNode } from './subworkflow.ts';
import { choiceNode, endNode, passNode } from './choice.ts';
import { debateNode } from './debate.ts';
import { includeNode } from './include.ts';
import { mapNode } from './map.ts';
import { rememberingPass } from './memory.ts';
import { parallelNode } from './parallel.ts';
import { type Place, type Shared, stateId, stateKey } from './node-context.ts';
import { taskNode } from './task.ts';
import { waitNode } from './wait.ts';

/** What a machine is as a chart of its own: the workflow, or what a Map runs for an item. */
export function machineChart(
  machine: Machine,
  id: string,
  shared: Shared,
): Pick<Chart, 'id' | 'output' | 'initial' | 'states' | 'meta'> {
  const { budget, share } = shared;
  const place: Place = {
    ...shared,
    machine: id,
    root: id,
    end: `#${id}:%succeeded`,
    fail: { target: `#${id}:%failed` },
  };
  const { initial, states } = machineStates(machine, place);
  return {
    id,
    output: { type: 'outcome', params: { machine: id } },
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
function machineStates({ StartAt: first, States: states }: Machine, place: Place): MachineStates {
  return {
    initial: stateKey(first),
    states: Object.fromEntries(
      states.map((state) => [stateKey(state.name), stateNode(state, place)]),
    ),
  };
}

interface MachineStates {
  readonly initial: string;
  readonly states: Readonly<Record<string, ChartNode>>;
}

function stateNode(state: State, place: Place): ChartNode {
  const id = stateId(place, state.name);
  switch (state.Type) {
    case 'Pass':
      return isRemembering(state) ? rememberingPass(state, id, place) : passNode(state, id, place);
    case 'Choice':
      return choiceNode(state, id, place);
    case 'Succeed':
    case 'Fail':
      return endNode(state, id, place);
    case 'Wait':
      return waitNode(state, id, place);
    case 'Task':
      return hasBlocks(state, place) ? agentTaskNode(state, id, place) : taskNode(state, id, place);
    case 'Parallel':
      return parallelNode(state, id, place, machineStates);
    case 'Map':
      return mapNode(state, id, place, machineChart);
    case 'Approval':
      return approvalNode(state, id, place);
    case 'Debate':
      return debateNode(state, id, place);
    case 'Checkpoint':
      return checkpointNode(state, id, place);
    case 'Include':
      return state.Machine
        ? includeNode(state, state.Machine, id, place, machineStates)
        : compositionNode(state, id, place);
    case 'Workflow':
      return compositionNode(state, id, place);
  }
}

/** Other expressions than paths say nothing of what is to be kept. */
function isRemembering({ Memory: memory, QueryLanguage: language }: Pass): boolean {
  return memory !== undefined && memory.writes.length > 0 && language === 'JSONPath';
}
