import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import type { budgetBehaviour } from '../behaviour/budget.ts';
import { references } from '../behaviour/part.ts';
import { countingNode, isShared, type NodeCall, type Nodes, type StateNodes } from './nodes.ts';

const refer = references<typeof budgetBehaviour>();

/**
 * Checks the budget before a call. A person may be asked to raise it, or the call is delayed.
 *
 * @param next where it leads when the budget suffices
 * @param call the name of the state's call; empty for the call that does the work
 */
export function budgetNodes(nodes: StateNodes, next: readonly ChartTransition[], call = ''): Nodes {
  const { id, context, params } = nodes;
  const { machine } = context;
  const held = (reason: 'asks' | 'waits') => refer.guard('isHeld', { machine, held: reason });
  const key = (node: string) => keyOf(node, call);
  const again = budgetEntry(nodes, call);
  return {
    ...(isShared(context.budget) && {
      [key('counting')]: countingNode(`${id}:${key('counting')}`, context, {
        counted: { target: nodes.to(key('budget')) },
        failed: nodes.failing(),
      }),
    }),
    ...nodes.step(
      key('budget'),
      refer.action('checkBudget', params),
      { target: nodes.to(key('asking')), guard: held('asks') },
      { target: nodes.to(key('throttling')), guard: held('waits') },
      ...next,
    ),
    ...nodes.call(
      key('asking'),
      {
        name: key('grant'),
        src: 'requestDecision',
        input: refer.input('grantCall', params),
        done: [{ target: nodes.to(key('granted')), actions: [refer.action('takeGrant', params)] }],
      },
      { tags: ['waiting'], entry: [refer.action('askForMore', params)] },
    ),
    ...nodes.step(key('granted'), undefined, { target: again }),
    ...nodes.call(key('throttling'), {
      name: key('throttle'),
      src: 'timer',
      input: refer.input('throttleTimer', params),
      done: [{ target: again, actions: [refer.action('endThrottling', params)] }],
    }),
  };
}

/** An additional call of a state, with a budget check of its own. */
export function paidCall(
  nodes: StateNodes,
  key: string,
  call: NodeCall,
  own: Partial<ChartNode> = {},
): Nodes {
  const check = nodes.context.budget && budgetNodes(nodes, [{ target: nodes.to(key) }], key);
  return { ...check, ...nodes.call(key, call, own) };
}

/** The id of the node where an additional call begins. */
export function paidEntry(nodes: StateNodes, call: string): string {
  return nodes.context.budget ? budgetEntry(nodes, call) : nodes.to(call);
}

/** The id of the node where the check of the budget begins. */
export function budgetEntry(nodes: StateNodes, call = ''): string {
  return nodes.to(keyOf(isShared(nodes.context.budget) ? 'counting' : 'budget', call));
}

function keyOf(node: string, call: string): string {
  return call === '' ? node : call + node.charAt(0).toUpperCase() + node.slice(1);
}
