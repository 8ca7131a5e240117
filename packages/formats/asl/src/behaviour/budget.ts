import type { EventObject } from '@dramaturg/compiler';
import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import type { Guard } from '@dramaturg/compiler/format';
import type { Decision } from '@dramaturg/compiler/machine';
import { progressOf, visitOf, withVisit, type WorkflowContext } from '../context.ts';
import type { Fallback } from '../definition/budget.ts';
import {
  type BudgetVisit,
  describeConsumption,
  fallbackAt,
  isWindowUsedUp,
  shareOf,
  type Spending,
  type Consumption,
  consumptionOf,
  withMarks,
} from '../flow/budget.ts';
import {
  countingNode,
  isShared,
  type NodeCall,
  type Nodes,
  type StateNodes,
} from '../lower/nodes.ts';
import { type BehaviourPart, references } from './part.ts';
import {
  callKey,
  type MachineParams,
  type StateAction,
  StateAtWork,
  type StateInputMaker,
} from './state-at-work.ts';
import { continueState } from './state-steps.ts';

/*
 * The gate before each call of a workflow with a budget. The visit owns the state of the gate, in `held`:
 *
 *     (none) → asks → granted      a person is asked, and grants the budget again or this one call
 *     (none) → waits → has waited  the call is throttled
 *
 * The workflow's context owns the grants and which events were emitted (`spent.marks`), so that all branches share
 * them. `spending.ts` counts the usage.
 */

/** Checks whether the budget allows the next call, and with which agent and model. Spec: Agent 7 §Budget */
const checkBudget: StateAction = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const budget = state.budget!;
    const { consumption, share, fallback } = positionOf(state);
    const { held, instead: planned } = visitOf<BudgetVisit>(progress);
    const isPlain = held === undefined && planned === undefined;
    if (isPlain && share.budget < 1 && budget.Fallbacks.length === 0) return {};
    const { spent, events } = fallbackEvents(state, consumption, fallback);
    const goOn = (more: Partial<BudgetVisit> = {}) => {
      const none = { held: undefined, instead: undefined, heldUntil: undefined };
      const next = withVisit<BudgetVisit>(progress, { ...none, ...more });
      const effects = state.effects(next, events);
      return spent ? { ...effects, context: { ...effects.context, spent } } : effects;
    };
    // A grant does not lift a step of the cascade that is reached again.
    if (fallback?.action === 'PauseAndNotify' && held !== 'granted') return goOn({ held: 'asks' });
    const instead = fallback && {
      ...(fallback.agent !== undefined && { agent: fallback.agent }),
      ...(fallback.model !== undefined && { model: fallback.model }),
      ...(fallback.action === 'ReduceQuality' && { quality: 'reduced' as const }),
    };
    const allowed = goOn(instead && { instead });
    if (share.budget < 1) return allowed;
    switch (budget.OnExceed) {
      case 'Fail':
        return state.effects({ ...progress, failure: state.budgetFailure(consumption) });
      case 'PauseAndNotify':
        return goOn({ held: 'asks' });
      case 'Throttle':
        // A call waits once. It waits again while a window is used up.
        if (held === 'has waited' && !isWindowUsedUp(budget, consumption)) return allowed;
        return goOn({ held: 'waits', heldUntil: state.world.now() + budget.ThrottleDelay });
      default: {
        if (consumption.marks.exceeded) return allowed;
        const { tokens, cost } = consumption;
        return {
          context: { ...allowed.context, spent: withMarks(spent, { exceeded: true }) },
          emit: [...events, { type: 'budget.exceeded', ...state.where(), tokens, cost }],
        };
      }
    }
  });

/** The event for a step of the cascade, emitted once when the step is first reached. Agent 7 §Fallback */
function fallbackEvents(
  state: StateAtWork,
  { tokens, cost, marks }: Consumption,
  fallback: Fallback | undefined,
): { readonly spent: Spending | undefined; readonly events: readonly EventObject[] } {
  const { spent } = state.context;
  const step = fallback ? state.budget!.Fallbacks.indexOf(fallback) + 1 : 0;
  if (!fallback || step <= (marks.fallback ?? 0)) return { spent, events: [] };
  const { When: when = 'Always', Notify: notify } = fallback.authored;
  const event = {
    type: 'budget.fallback',
    ...state.where(),
    when,
    ...(fallback.model !== undefined && { model: fallback.model }),
    ...(fallback.agent !== undefined && { agent: fallback.agent }),
    ...(fallback.action !== undefined && { action: fallback.action }),
    ...(notify !== undefined && { notify }),
    tokens,
    cost,
  };
  return { spent: withMarks(spent, { fallback: step }), events: [event] };
}

const isHeld: Guard<WorkflowContext, unknown, MachineParams & Pick<BudgetVisit, 'held'>> = (
  { context },
  { machine, held },
) => visitOf<BudgetVisit>(progressOf(context, machine)).held === held;

/** Asks a person to grant the budget again, or to allow this call. */
const grantCall: StateInputMaker = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { grants } = consumptionOf(scope.context.before, scope.context.spent).marks;
  const { timesAsked = 0 } = visitOf<BudgetVisit>(state.progress);
  return {
    key: callKey(scope.context, params.machine, `budget/${grants}/${timesAsked}`),
    ...questionOf(state),
  };
};

function questionOf(state: StateAtWork) {
  const { name } = state;
  const { consumption, share, fallback } = positionOf(state);
  const used = describeConsumption(state.budget!, consumption);
  const reject = { id: 'reject', description: 'The state fails with States.BudgetExceeded.' };
  if (isAlways(fallback)) {
    return {
      prompt: `The budget asks before each call (${used}). May "${name}" make one?`,
      options: [{ id: 'approve', description: 'The call is made.' }, reject],
    };
  }
  const because =
    fallback && share.budget < 1
      ? `The budget has reached ${JSON.stringify(fallback.authored['When'])}`
      : 'The budget is used up';
  return {
    prompt: `${because} before "${name}": ${used}. May as much again be used?`,
    options: [{ id: 'approve', description: 'As much again may be used.' }, reject],
  };
}

/** How much of the budget is used, and the step of the cascade that this reaches. */
function positionOf(state: StateAtWork) {
  const consumption = consumptionOf(state.context.before, state.context.spent);
  const share = shareOf(state.budget!, consumption, state.elapsed());
  return { consumption, share, fallback: fallbackAt(state.budget!, share) };
}

/** A step that applies from the start: no grant lifts it. */
function isAlways(fallback: Fallback | undefined): boolean {
  return fallback?.at === 0;
}

const askForMore: StateAction = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { prompt } = questionOf(state);
  return state.effects(state.progress, [
    { type: 'decision.requested', ...state.where(), prompt, options: ['approve', 'reject'] },
  ]);
};

export interface Decided {
  readonly output: Decision;
}

/** Any answer but the two options decides nothing: the person is asked again. */
const takeGrant: StateAction<Decided> = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { progress } = state;
  const { decision } = scope.event.output;
  const { spent } = scope.context;
  const { consumption, share, fallback } = positionOf(state);
  if (decision === 'reject') {
    const cause = `More may not be used: ${describeConsumption(state.budget!, consumption)}.`;
    const failure = { error: 'States.BudgetExceeded', cause };
    return state.effects({
      ...progress,
      failure: share.budget < 1 ? failure : state.budgetFailure(consumption),
    });
  }
  const isGranted = decision === 'approve';
  const timesAsked = (visitOf<BudgetVisit>(progress).timesAsked ?? 0) + 1;
  const { context } = state.effects(
    withVisit<BudgetVisit>(progress, { timesAsked, ...(isGranted && { held: 'granted' }) }),
  );
  if (!isGranted || isAlways(fallback)) return { context: context! };
  return {
    context: { ...context, spent: withMarks(spent, { grants: consumption.marks.grants + 1 }) },
  };
};

/** One visit may throttle several calls, so the key contains the time. */
const throttleTimer: StateInputMaker = (scope, params) => {
  const at = visitOf<BudgetVisit>(progressOf(scope.context, params.machine)).heldUntil!;
  return { key: callKey(scope.context, params.machine, `throttle/${at}`), at };
};

const endThrottling: StateAction = (scope, params) => {
  const state = new StateAtWork(scope, params);
  return state.effects(withVisit<BudgetVisit>(state.progress, { held: 'has waited' }));
};

export const budgetBehaviour = {
  guards: { isHeld },
  actions: { checkBudget, askForMore, takeGrant, endThrottling },
  inputs: { grantCall, throttleTimer },
} satisfies BehaviourPart;

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
