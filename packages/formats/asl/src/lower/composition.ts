import type { ChartNode } from '@dramaturg/compiler';
import type { Include, Subworkflow } from '../definition/index.ts';
import { about, hasFailed, nextOf, type Place } from './place.ts';
import { recovery } from './recovery.ts';
import { stateMeta } from './state-meta.ts';

/** Runs another definition as an agent of this one. Spec: Agent 10 */
export function compositionNode(state: Include | Subworkflow, id: string, place: Place): ChartNode {
  const params = about(place, id);
  const recover = recovery(state, id, place);
  const failing = { ...recover.failing(), guard: hasFailed(place) };
  const hasTimeout = state.Type === 'Workflow' && state.Timeout !== undefined;
  return {
    id,
    initial: 'preparing',
    states: {
      preparing: {
        id: `${id}:preparing`,
        entry: [{ type: 'prepareComposition', params }],
        always: [failing, { target: 'working' }],
      },
      working: {
        id: `${id}:working`,
        invoke: [
          {
            id: `${id}:work`,
            src: 'runAgent',
            input: { type: 'compositionCall', params },
            onDone: [{ target: `#${id}:finishing` }],
            onError: [recover.failing([{ type: 'taskFailed', params }])],
          },
          ...(hasTimeout
            ? [
                {
                  id: `${id}:timeout`,
                  src: 'timer' as const,
                  input: { type: 'timeoutTimer', params },
                  onDone: [recover.failing([{ type: 'timeOut', params }])],
                  onError: [recover.failing([{ type: 'taskFailed', params }])],
                },
              ]
            : []),
        ],
      },
      finishing: {
        id: `${id}:finishing`,
        entry: [{ type: 'finishTask', params }],
        always: [failing, { target: nextOf(place, state) }],
      },
      ...recover.nodes,
    },
    meta: stateMeta(state, place),
  };
}
