import type { ChartInvoke, ChartNode } from '@dramaturg/compiler/chart';
import type { Include, Subworkflow } from '../definition/index.ts';
import { budgetNodes } from './budget.ts';
import { stateParams, type NodeContext } from './node-context.ts';
import { recovery } from './retry.ts';
import { workNode } from './stages.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import type { subworkflowBehaviour } from '../behaviour/subworkflow.ts';
import { references } from './references.ts';

const refer = references<typeof stateBehaviour & typeof subworkflowBehaviour>();

/** Runs another definition as an agent of this one. Spec: Agent 10 */
export function subworkflowNode(
  state: Include | Subworkflow,
  id: string,
  context: NodeContext,
): ChartNode {
  const params = stateParams(context, id);
  const recover = recovery(state, id, context);
  const onError = [recover.failing([refer.action('taskFailed', params)])];
  const call: ChartInvoke = {
    id: `${id}:work`,
    src: 'runAgent',
    input: refer.input('subworkflowCall', params),
    onDone: [{ target: `#${id}:finishing` }],
    onError,
  };
  const timeout: ChartInvoke = {
    id: `${id}:timeout`,
    src: 'timer',
    input: refer.input('timeoutTimer', params),
    onDone: [recover.failing([refer.action('timeOut', params)])],
    onError,
  };
  const isLimited = state.Type === 'Workflow' && state.Timeout !== undefined;
  return workNode(state, id, context, {
    recover,
    prepare: refer.action('prepareSubworkflow', params),
    working: {
      ...(context.budget && budgetNodes(id, context, recover, [{ target: `#${id}:working` }])),
      working: { id: `${id}:working`, invoke: isLimited ? [call, timeout] : [call] },
    },
    finish: refer.action('finishTask', params),
  });
}
