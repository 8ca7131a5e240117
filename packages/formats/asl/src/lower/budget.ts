import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import {
  countingNode,
  hasFailed,
  isShared,
  type NodeContext,
  type Recovery,
  stateParams,
} from './nodes.ts';
import type { budgetBehaviour } from '../behaviour/budget.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import { references } from '../behaviour/part.ts';

const refer = references<typeof budgetBehaviour & typeof stateBehaviour>();

/**
 * Checks the budget before a call. A person may be asked to raise it, or the call is delayed.
 *
 * @param next where it leads when the budget suffices
 * @param call the name of the state's call; empty for the call that does the work
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
  const again = budgetEntry(id, context, call);
  const budget = `#${id}:${key('budget')}`;
  return {
    ...(isShared(context.budget) && {
      [key('counting')]: countingNode(`${id}:${key('counting')}`, context, {
        counted: { target: budget },
        failed: recover.failing(),
      }),
    }),
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

/** An additional call of a state, with a budget check of its own. */
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

/** The id of the node where an additional call begins. */
export function paidEntry(id: string, { budget }: NodeContext, call: string): string {
  return budget ? budgetEntry(id, { budget }, call) : `#${id}:${call}`;
}

/** The id of the node where the check of the budget begins. */
export function budgetEntry(
  id: string,
  { budget }: Pick<NodeContext, 'budget'>,
  call = '',
): string {
  const node = isShared(budget) ? 'counting' : 'budget';
  return `#${id}:${call === '' ? node : `${call}${capitalised(node)}`}`;
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
