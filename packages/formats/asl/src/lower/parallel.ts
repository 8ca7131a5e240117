import { isRecord } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';
import type { Machine, Parallel } from '../definition/index.ts';
import type { ReportingParallel } from '../definition/progress.ts';
import { stateParams, type NodeContext } from './node-context.ts';
import { recovery } from './retry.ts';
import { workNode } from './stages.ts';
import type { parallelBehaviour } from '../behaviour/parallel.ts';
import { references } from './references.ts';

const refer = references<typeof parallelBehaviour>();

/** Lowers a Parallel to a region for each branch. The regions join when all have ended. A failure stops them all. */
export function parallelNode(state: Parallel, id: string, context: NodeContext): ChartNode {
  const branches = state.Branches.map((_, index) => `${id}:branch${index + 1}`);
  const params = { ...stateParams(context, id), branches };
  const recover = recovery(state, id, context);
  const parallel = reportsProgress(state)
    ? reportingParallelOf(state, id, context, branches)
    : undefined;
  const regions = state.Branches.map((branch, index): [string, ChartNode] => {
    const machine = branches[index]!;
    const failBranch = refer.action('failBranch', { machine, of: context.machine, branches });
    const { target, actions } = recover.failing([failBranch]);
    const inside: NodeContext = {
      ...context,
      machine,
      parallel,
      end: `#${machine}:%done`,
      fail: { target: target as string, actions: actions ?? [] },
    };
    return [`branch${index + 1}`, regionNode(branch, inside, context.statesOf(branch, inside))];
  });
  return workNode(state, id, context, {
    recover,
    prepare: refer.action('prepareParallel', params),
    working: {
      working: {
        id: `${id}:working`,
        type: 'parallel',
        states: Object.fromEntries(regions),
        onDone: [{ target: `#${id}:finishing` }],
      },
    },
    finish: refer.action('finishParallel', params),
  });
}

/** Whether the Parallel reports its progress. Agent 9 §Progress */
function reportsProgress({ authored: { Progress: progress } }: Parallel): boolean {
  return isRecord(progress) && progress['Enabled'] !== false;
}

function reportingParallelOf(
  state: Parallel,
  id: string,
  { machine }: NodeContext,
  branches: string[],
): ReportingParallel {
  return {
    state: id,
    machine,
    branches,
    sizes: state.Branches.map(({ States: { length } }) => length),
  };
}

function regionNode(
  branch: Machine,
  { machine }: NodeContext,
  { initial, states }: Pick<ChartNode, 'initial' | 'states'>,
): ChartNode {
  return {
    id: machine,
    ...(initial !== undefined && { initial }),
    states: {
      ...states,
      '%done': { id: `${machine}:%done`, type: 'final', meta: { title: 'done' } },
    },
    meta: { origin: branch.at },
  };
}
