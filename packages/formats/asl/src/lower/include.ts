import type { ChartNode } from '@dramaturg/compiler';
import type { Include } from '../definition/index.ts';
import { about, type NodeContext } from './node-context.ts';
import { recovery } from './retry.ts';
import { workNode } from './stages.ts';
import { subworkflowNode } from './subworkflow.ts';

/** The states of a template, with data of their own, as a part of the state that includes it. Spec: Agent 10 §Include */
export function includeNode(state: Include, id: string, context: NodeContext): ChartNode {
  const { Machine: template } = state;
  if (!template) return subworkflowNode(state, id, context);
  const machine = `${id}:template`;
  const branches = [machine];
  const params = { ...about(context, id), branches };
  const recover = recovery(state, id, context);
  const failBranch = { type: 'failBranch', params: { machine, of: context.machine, branches } };
  const { target, actions } = recover.failing([failBranch]);
  const inside: NodeContext = {
    ...context,
    machine,
    end: `#${id}:included`,
    fail: { target: target as string, actions: actions ?? [] },
  };
  const { initial, states } = context.statesOf(template, inside);
  return workNode(state, id, context, {
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
