import { type Chart, isRecord, type JsonObject, type PortInput } from '@dramaturg/compiler';
import type { ChartInvoke, ChartNode } from '@dramaturg/compiler/chart';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { authoredPart, partOf } from '../authored.ts';
import { references } from '../behaviour/part.ts';
import type { workflowBehaviour } from '../behaviour/workflow.ts';
import { parseDuration } from '../data/timestamp.ts';
import { workflowName } from '../definition/budget.ts';
import type { Machine, Workflow } from '../definition/machine.ts';
import type { ProgressWeights } from '../definition/state.ts';
import { kindOf } from '../kinds.ts';
import { stateId, stateKey } from '../names.ts';
import { optionalNumber, optionalObject, optionalString } from '../normalise/fields.ts';
import { machineFields, statesOf } from '../walk.ts';
import {
  countingNode,
  isShared,
  type MachineChart,
  type MachineStates,
  type NodeContext,
  type Shared,
  throughCounting,
} from './nodes.ts';

/** Lowers a machine to a chart of its own: the workflow, or the machine for an item of a Map. */
function machineChart(machine: Machine, id: string, shared: Shared): MachineChart {
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
const workflowId = 'workflow';

/** The key of the node before an end of a workflow whose budget several runs share. */
function settlingEnd(name: string): string {
  return `%${name}Settling`;
}

function endingNode(machine: string, name: string, title: string): ChartNode {
  return { id: `${machine}:%${name}`, type: 'final', meta: { title } };
}

/** The nodes of a machine's states, by their keys, and the key of the first. */
function machineStates(
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

const refer = references<typeof workflowBehaviour>();

const id = workflowId;

/** The chart of a workflow: a node for every state, and one for each way in which a run ends. */
export function lower(workflow: Workflow): Chart {
  if (workflow.isTemplate) return templateChart(workflow);
  const { TimeoutSeconds: seconds } = workflow;
  const { dialect, Budget: budget, authored } = workflow;
  const shared = isShared(budget && (authored['Budget'] as JsonObject));
  const machine = machineChart(workflow, id, {
    dialect,
    missing: workflow.missing,
    budget: budget && namedBudget(workflow),
    memory: authored['Memory'] as JsonObject | undefined,
    share: shareOf(workflow),
    redact: redactedPaths(workflow),
    circuit: readCircuit(authored['CircuitBreaker']),
    parallel: undefined,
    statesOf: machineStates,
    chartOf: machineChart,
    machineFields,
  });
  const states = {
    ...machine.states,
    ...(shared && countingEnds()),
    ...(seconds !== undefined && { '%timedOut': endingNode(id, 'timedOut', 'timed out') }),
  };
  return {
    chart: 1,
    format: 'asl',
    context: refer.context('startWorkflow', { machine: id, name: workflow.Comment }),
    ...machine,
    ...(seconds !== undefined && { invoke: [timer(seconds)] }),
    states: Object.fromEntries(
      Object.entries(states).map(([key, node]) => [
        key,
        node.type === 'final' ? { ...node, entry: [tellEnd] } : node,
      ]),
    ),
  };
}

/** The budget as authored. A shared budget also has the name of the workflow, under which its runs are counted. */
function namedBudget({ Comment: comment, authored }: Workflow): JsonObject {
  const budget = authored['Budget'] as JsonObject;
  if (!isShared(budget)) return budget;
  const text = new TextEncoder().encode(JSON.stringify(authored));
  return { ...budget, [workflowName]: comment === '' ? bytesToHex(sha256(text)) : comment };
}

/** The paths that any state redacts. The same data go through other states, so they apply to the whole workflow. */
function redactedPaths(workflow: Workflow): readonly string[] | undefined {
  const paths = statesOf(workflow).flatMap((state) => {
    const audit = partOf(authoredPart(state), 'Audit')?.value['Redact'];
    return Array.isArray(audit) ? audit.filter((path) => typeof path === 'string') : [];
  });
  return paths.length > 0 ? [...new Set(paths)] : undefined;
}

/** The weights of the states, when progress is reported. Agent 9 §Progress */
function shareOf({
  authored: { Progress: progress },
  States: states,
}: Workflow): ProgressWeights | undefined {
  if (!isRecord(progress) || progress['Enabled'] === false) return undefined;
  const { TotalStates: total, WeightedProgress: written } = progress;
  if (!isRecord(written)) return { total: typeof total === 'number' ? total : states.length };
  const weights = Object.fromEntries(
    Object.entries(written).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number',
    ),
  );
  return { total: Object.values(weights).reduce((sum, weight) => sum + weight, 0), weights };
}

/** The nodes before each end: they have the last cost of the run counted. */
function countingEnds(): Chart['states'] {
  return Object.fromEntries(
    ['succeeded', 'failed'].flatMap((name) => {
      const end = { target: `#${id}:%${name}` };
      const counting = `${id}:%${name}Counting`;
      return [
        [
          settlingEnd(name),
          { id: `${id}:${settlingEnd(name)}`, always: [throughCounting(`#${counting}`, id), end] },
        ],
        [`%${name}Counting`, countingNode(counting, { machine: id, root: id }, { counted: end })],
      ];
    }),
  );
}

/** A template cannot run by itself: names of states may be holes. Its chart fails immediately. */
function templateChart(workflow: Workflow): Chart {
  return {
    chart: 1,
    format: 'asl',
    id,
    context: refer.context('startTemplate', { machine: id }),
    output: refer.output('outcome', { machine: id }),
    initial: '%failed',
    states: { '%failed': { ...endingNode(id, 'failed', 'failed'), entry: [tellEnd] } },
    meta: { origin: workflow.at },
  };
}

const tellEnd = refer.action('endWorkflow', { machine: id });

/** Ends the workflow, whatever state it is in. */
function timer(seconds: number): ChartInvoke {
  const late = refer.action('timeOutWorkflow', { machine: id });
  return {
    id: `${id}:timeout`,
    src: 'timer',
    input: refer.input('workflowTimer', { seconds }),
    onDone: [{ target: `#${id}:%timedOut`, actions: [late] }],
    onError: [
      { target: `#${id}:%failed`, actions: [refer.action('timerFailed', { machine: id })] },
    ],
  };
}

/** The circuit of a call; undefined without a circuit breaker. */
function readCircuit(written: unknown): PortInput<'runAgent'>['circuit'] {
  const fields = optionalObject(written);
  if (!fields || fields['Enabled'] === false) return undefined;
  return {
    failures: optionalNumber(fields['FailureThreshold']) ?? 5,
    successes: optionalNumber(fields['SuccessThreshold']) ?? 1,
    timeout: parseDuration(optionalString(fields['Timeout']) ?? '30s') ?? 30_000,
  };
}
