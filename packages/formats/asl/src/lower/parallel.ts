import { type ChartNode, isRecord } from '@dramaturg/compiler';
import type { Machine, Parallel } from '../definition/index.ts';
import type { Within } from '../definition/progress.ts';
import { about, type Place } from './node-context.ts';
import { recovery } from './retry.ts';
import { workNode } from './stages.ts';

/** A region for every branch; they join when all have come to their end, and a failure stops them all. */
export function parallelNode(
  state: Parallel,
  id: string,
  place: Place,
  statesOf: (branch: Machine, place: Place) => Pick<ChartNode, 'initial' | 'states'>,
): ChartNode {
  const branches = state.Branches.map((_, index) => `${id}:branch${index + 1}`);
  const params = { ...about(place, id), branches };
  const recover = recovery(state, id, place);
  const within = reports(state) ? withinOf(state, id, place, branches) : undefined;
  const regions = state.Branches.map((branch, index): [string, ChartNode] => {
    const machine = branches[index]!;
    const failBranch = { type: 'failBranch', params: { machine, of: place.machine, branches } };
    const { target, actions } = recover.failing([failBranch]);
    const inside: Place = {
      ...place,
      machine,
      within,
      end: `#${machine}:%done`,
      fail: { target: target as string, actions: actions ?? [] },
    };
    return [`branch${index + 1}`, regionNode(branch, inside, statesOf(branch, inside))];
  });
  return workNode(state, id, place, {
    recover,
    prepare: { type: 'prepareParallel', params },
    working: {
      working: {
        id: `${id}:working`,
        type: 'parallel',
        states: Object.fromEntries(regions),
        onDone: [{ target: `#${id}:finishing` }],
      },
    },
    finish: { type: 'finishParallel', params },
  });
}

/** Whether it tells how far it is. Agent 9 §Progress */
function reports({ authored: { Progress: progress } }: Parallel): boolean {
  return isRecord(progress) && progress['Enabled'] !== false;
}

function withinOf(state: Parallel, id: string, { machine }: Place, branches: string[]): Within {
  return {
    state: id,
    machine,
    branches,
    sizes: state.Branches.map(({ States: { length } }) => length),
  };
}

function regionNode(
  branch: Machine,
  { machine }: Place,
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
