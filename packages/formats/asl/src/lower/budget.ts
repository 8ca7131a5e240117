import type { ChartNode, ChartTransition } from '@dramaturg/compiler';
import { stateParams, hasFailed, type NodeContext } from './node-context.ts';
import type { Recovery } from './retry.ts';
import type { budgetBehaviour } from '../behaviour/budget.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import { references } from './references.ts';

const refer = references<typeof budgetBehaviour & typeof stateBehaviour>();

/**
 * Whether the workflow can pay, before a call: a person may be asked for more, or the call put off.
 *
 * @param next where it leads when it can
 * @param call which of the state's calls it is, unless it is the one that does the work
 */
export function budgetNodes(
  id: string,
  context: NodeContext,
  recover: Recovery,
  next: readonly ChartTransition[],
  call = '',
): Readonly<Record<string, ChartNode>> {
  const params = stateParams(context, id);
  const held = (reason: 'asks' | 'waits') =>
    refer.guard('isHeld', { machine: context.machine, held: reason });
  const onError = [recover.failing([refer.action('taskFailed', params)])];
  const key = (node: string) => (call === '' ? node : `${call}${capitalised(node)}`);
  const again = `#${id}:${key('budget')}`;
  return {
    [key('budget')]: {
      id: `${id}:${key('budget')}`,
      entry: [refer.action('checkBudget', params)],
      always: [
        { ...recover.failing(), guard: hasFailed(context) },
        { target: `#${id}:${key('asking')}`, guard: held('asks') },
        { target: `#${id}:${key('throttling')}`, guard: held('waits') },
        ...next,
      ],
    },
    [key('asking')]: {
      id: `${id}:${key('asking')}`,
      tags: ['waiting'],
      entry: [refer.action('askForMore', params)],
      invoke: [
        {
          id: `${id}:${key('grant')}`,
          src: 'requestDecision',
          input: refer.input('grantCall', params),
          onDone: [
            { target: `#${id}:${key('granted')}`, actions: [refer.action('takeGrant', params)] },
          ],
          onError,
        },
      ],
    },
    [key('granted')]: {
      id: `${id}:${key('granted')}`,
      always: [{ ...recover.failing(), guard: hasFailed(context) }, { target: again }],
    },
    [key('throttling')]: {
      id: `${id}:${key('throttling')}`,
      invoke: [
        {
          id: `${id}:${key('throttle')}`,
          src: 'timer',
          input: refer.input('throttleTimer', params),
          onDone: [{ target: again, actions: [refer.action('endThrottling', params)] }],
          onError,
        },
      ],
    },
  };
}

/** A call that is not the one that does the work of its state, behind its own look at the budget. */
export function paidNodes(
  id: string,
  context: NodeContext,
  recover: Recovery,
  call: string,
  node: ChartNode,
): Readonly<Record<string, ChartNode>> {
  const next = [{ target: `#${id}:${call}` }];
  return { ...(context.budget && budgetNodes(id, context, recover, next, call)), [call]: node };
}

/** Where such a call begins. */
export function paidEntry(id: string, { budget }: NodeContext, call: string): string {
  return `#${id}:${call}${budget ? 'Budget' : ''}`;
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
