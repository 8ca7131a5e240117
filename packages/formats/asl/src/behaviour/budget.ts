import type { BehaviourPart } from './part.ts';
import type { Decision, EventObject, Guard } from '@dramaturg/compiler';
import { progressOf, type Visit, type WorkflowContext } from '../context.ts';
import type { Fallback } from '../definition/budget.ts';
import {
  describe,
  fallbackAt,
  shareOf,
  type Spending,
  type Standing,
  standingOf,
  withMarks,
} from '../flow/budget.ts';
import { callKey } from './call-key.ts';
import {
  type MachineParams,
  StateAtWork,
  visitOf,
  within,
  type StateAction,
  type StateInputMaker,
} from './state-at-work.ts';

/** Looks whether the workflow can pay for the next call, and how. Spec: Agent 7 §Budget */
export const checkBudget: StateAction = (scope, params) =>
  within(scope, params, (state, progress) => {
    const budget = state.budget!;
    const { standing, share, fallback } = reached(state);
    const planned = visitOf(progress);
    const isPlain = planned.held === undefined && planned.instead === undefined;
    if (isPlain && share.budget < 1 && budget.Fallbacks.length === 0) return {};
    const { held, instead: _, heldUntil: __, ...visit } = planned;
    const { spent, told } = tellFallback(state, standing, fallback);
    const goOn = (more: Partial<Visit> = {}) => {
      const effects = state.effects({ ...progress, visit: { ...visit, ...more } }, told);
      return spent ? { ...effects, context: { ...effects.context, spent } } : effects;
    };
    // A step may be reached however much is granted.
    if (fallback?.action === 'PauseAndNotify' && held !== 'granted') return goOn({ held: 'asks' });
    const instead = fallback && {
      ...(fallback.agent !== undefined && { agent: fallback.agent }),
      ...(fallback.model !== undefined && { model: fallback.model }),
      ...(fallback.action === 'ReduceQuality' && { quality: 'reduced' as const }),
    };
    const paid = goOn(instead && { instead });
    if (share.budget < 1) return paid;
    switch (budget.OnExceed) {
      case 'Fail':
        return state.effects({ ...progress, failure: state.budgetFailure(standing) });
      case 'PauseAndNotify':
        return goOn({ held: 'asks' });
      case 'Throttle':
        if (held === 'has waited') return paid;
        return goOn({ held: 'waits', heldUntil: state.world.now() + budget.ThrottleDelay });
      default: {
        if (standing.marks.exceeded) return paid;
        const { tokens, cost } = standing;
        return {
          context: { ...paid.context, spent: withMarks(spent, { exceeded: true }) },
          emit: [...told, { type: 'budget.exceeded', ...state.where(), tokens, cost }],
        };
      }
    }
  });

/** That a step of the cascade is reached is told once, to whom it says. Agent 7 §Fallback */
function tellFallback(
  state: StateAtWork,
  { tokens, cost, marks }: Standing,
  fallback: Fallback | undefined,
): { readonly spent: Spending | undefined; readonly told: readonly EventObject[] } {
  const { spent } = state.context;
  const step = fallback ? state.budget!.Fallbacks.indexOf(fallback) + 1 : 0;
  if (!fallback || step <= (marks.fallback ?? 0)) return { spent, told: [] };
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
  return { spent: withMarks(spent, { fallback: step }), told: [event] };
}

export const isHeld: Guard<WorkflowContext, unknown, MachineParams & { held: Visit['held'] }> = (
  { context },
  { machine, held },
) => visitOf(progressOf(context, machine)).held === held;

/** Asks a person whether as much again may be used, or whether this call may be made. */
export const grantCall: StateInputMaker = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { grants } = standingOf(scope.context.before, scope.context.spent).marks;
  const { asked = 0 } = visitOf(state.progress);
  return {
    key: callKey(scope.context, params.machine, `budget/${grants}/${asked}`),
    ...questionOf(state),
  };
};

function questionOf(state: StateAtWork) {
  const { name } = state;
  const { standing, share, fallback } = reached(state);
  const used = describe(state.budget!, standing);
  const reject = { id: 'reject', description: 'The state fails with States.BudgetExceeded.' };
  if (isAlways(fallback)) {
    return {
      prompt: `The budget asks before each call (${used}). May "${name}" make one?`,
      options: [{ id: 'approve', description: 'It is made.' }, reject],
    };
  }
  const because =
    fallback && share.budget < 1
      ? `The budget has come to ${JSON.stringify(fallback.authored['When'])}`
      : 'The budget is used up';
  return {
    prompt: `${because} before "${name}": ${used}. May as much again be used?`,
    options: [{ id: 'approve', description: 'As much again may be used.' }, reject],
  };
}

/** How far the budget is used, and the step of its cascade that this has reached. */
function reached(state: StateAtWork) {
  const standing = standingOf(state.context.before, state.context.spent);
  const share = shareOf(state.budget!, standing, state.elapsed());
  return { standing, share, fallback: fallbackAt(state.budget!, share) };
}

/** A step that no grant leads back from. */
function isAlways(fallback: Fallback | undefined): boolean {
  return fallback?.at === 0;
}

export const askForMore: StateAction = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const prompt = grantCall(scope, params) as { prompt: string };
  return state.effects(state.progress, [
    {
      type: 'decision.requested',
      ...state.where(),
      prompt: prompt.prompt,
      options: ['approve', 'reject'],
    },
  ]);
};

export interface Decided {
  readonly output: Decision;
}

/** Anything but the two options decides nothing, and is asked again. */
export const takeGrant: StateAction<Decided> = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { progress } = state;
  const { decision } = scope.event.output;
  const { spent } = scope.context;
  const { standing, share, fallback } = reached(state);
  if (decision === 'reject') {
    const cause = `More may not be used: ${describe(state.budget!, standing)}.`;
    const failure = { error: 'States.BudgetExceeded', cause };
    return state.effects({
      ...progress,
      failure: share.budget < 1 ? failure : state.budgetFailure(standing),
    });
  }
  const isGranted = decision === 'approve';
  const visit = visitOf(progress);
  const asked = (visit.asked ?? 0) + 1;
  const { context } = state.effects({
    ...progress,
    visit: { ...visit, asked, ...(isGranted && { held: 'granted' }) },
  });
  if (!isGranted || isAlways(fallback)) return { context: context! };
  return {
    context: { ...context, spent: withMarks(spent, { grants: standing.marks.grants + 1 }) },
  };
};

/** Set for each call of a visit, so its key has the time in it. */
export const throttleTimer: StateInputMaker = (scope, params) => {
  const at = visitOf(progressOf(scope.context, params.machine)).heldUntil!;
  return { key: callKey(scope.context, params.machine, `throttle/${at}`), at };
};

export const endThrottling: StateAction = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { progress } = state;
  return state.effects({ ...progress, visit: { ...visitOf(progress), held: 'has waited' } });
};

export const budgetBehaviour = {
  guards: { isHeld },
  actions: { checkBudget, askForMore, takeGrant, endThrottling },
  inputs: { grantCall, throttleTimer },
} satisfies BehaviourPart;
