import { type Chart, isRecord, type JsonObject, type PortInput } from '@dramaturg/compiler';
import type { ChartInvoke } from '@dramaturg/compiler/chart';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { authoredPart, partOf } from '../authored.ts';
import type { workflowBehaviour } from '../behaviour/workflow.ts';
import { parseDuration } from '../data/timestamp.ts';
import { workflowName } from '../definition/budget.ts';
import type { Workflow } from '../definition/index.ts';
import type { ProgressWeights } from '../definition/progress.ts';
import { optionalNumber, optionalObject, optionalString } from '../normalise/fields.ts';
import { machineFields, statesOf } from '../walk.ts';
import { endingNode, machineChart, machineStates, settlingEnd, workflowId } from './machine.ts';
import { references } from './references.ts';
import { countingNode, isShared, throughCounting } from './shared-budget.ts';

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
