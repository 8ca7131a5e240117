import type { ChartInvoke, ChartNode } from '@dramaturg/compiler';
import type { Include, Subworkflow } from '../definition/index.ts';
import { budgetNodes } from './budget.ts';
import { about, type NodeContext } from './node-context.ts';
import { recovery } from './retry.ts';
import { workNode } from './stages.ts';

/** Runs another definition as an agent of this one. Spec: Agent 10 */
export function subworkflowNode(
  state: Include | Subworkflow,
  id: string,
  context: NodeContext,
): ChartNode {
  const params = about(context, id);
  const recover = recovery(state, id, context);
  const onError = [recover.failing([{ type: 'taskFailed', params }])];
  const call: ChartInvoke = {
    id: `${id}:work`,
    src: 'runAgent',
    input: { type: 'subworkflowCall', params },
    onDone: [{ target: `#${id}:finishing` }],
    onError,
  };
  const timeout: ChartInvoke = {
    id: `${id}:timeout`,
    src: 'timer',
    input: { type: 'timeoutTimer', params },
    onDone: [recover.failing([{ type: 'timeOut', params }])],
    onError,
  };
  const isLimited = state.Type === 'Workflow' && state.Timeout !== undefined;
  return workNode(state, id, context, {
    recover,
    prepare: { type: 'prepareSubworkflow', params },
    working: {
      ...(context.budget && budgetNodes(id, context, recover, [{ target: `#${id}:working` }])),
      working: { id: `${id}:working`, invoke: isLimited ? [call, timeout] : [call] },
    },
    finish: { type: 'finishTask', params },
  });
}
