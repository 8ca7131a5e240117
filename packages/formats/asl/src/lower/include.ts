import type { ChartNode } from '@dramaturg/compiler/chart';
import type { Include } from '../definition/index.ts';
import { stateParams, type NodeContext } from './node-context.ts';
import { recovery } from './retry.ts';
import { workNode } from './stages.ts';
import { subworkflowNode } from './subworkflow.ts';
import type { includeBehaviour } from '../behaviour/include.ts';
import { references } from './references.ts';

const refer = references<typeof includeBehaviour>();

/** The states of a template, with data of their own, as a part of the state that includes it. Spec: Agent 10 §Include */
export function includeNode(state: Include, id: string, context: NodeContext): ChartNode {
  const { Machine: template } = state;
  if (!template) return subworkflowNode(state, id, context);
  const machine = `${id}:template`;
  const branches = [machine];
  const params = { ...stateParams(context, id), branches };
  const recover = recovery(state, id, context);
  const failBranch = refer.action('failBranch', { machine, of: context.machine, branches });
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
    prepare: refer.action('prepareInclude', params),
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
    finish: refer.action('finishInclude', params),
  });
}
