import type { ChartNode } from '@dramaturg/compiler';
import type { Include, Machine } from '../definition/index.ts';
import { about, type Place } from './node-context.ts';
import { recovery } from './retry.ts';
import { workNode } from './stages.ts';

/** The states of a template, with data of their own, as a part of the state that includes it. Spec: Agent 10 §Include */
export function includeNode(
  state: Include,
  template: Machine,
  id: string,
  place: Place,
  statesOf: (machine: Machine, place: Place) => Pick<ChartNode, 'initial' | 'states'>,
): ChartNode {
  const machine = `${id}:template`;
  const branches = [machine];
  const params = { ...about(place, id), branches };
  const recover = recovery(state, id, place);
  const failBranch = { type: 'failBranch', params: { machine, of: place.machine, branches } };
  const { target, actions } = recover.failing([failBranch]);
  const inside: Place = {
    ...place,
    machine,
    end: `#${id}:included`,
    fail: { target: target as string, actions: actions ?? [] },
  };
  const { initial, states } = statesOf(template, inside);
  return workNode(state, id, place, {
    recover,
    prepare: { type: 'prepareInclude', params },
    working: {
      working: {
        id: machine,
        ...(initial !== undefined && { initial }),
        states: {
          ...states,
          '%done': { id: `${id}:included`, type: 'final', meta: { title: 'done' } },
        },
        onDone: [{ target: `#${id}:finishing` }],
      },
    },
    finish: { type: 'finishInclude', params },
  });
}
