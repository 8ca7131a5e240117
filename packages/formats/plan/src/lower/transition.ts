import type { JsonObject } from '@dramaturg/compiler';
import { type ChartTransition, nodeKey, operandsMeta } from '@dramaturg/compiler/chart';
import { handOverMeta } from '@dramaturg/conversation';
import { conditionParams, inWords, operandsIn } from '../conditions/condition.ts';
import type { Condition, ConditionType } from '../conditions/table.ts';
import { withDeclaredValues } from '../conditions/declared-values.ts';
import {
  end,
  human,
  restart,
  type Plan,
  type PlanOptions,
  type State,
  type Transition,
} from '../definition.ts';
import { transitionsOf } from '../plan-graph.ts';
import type { DeclarationFinder } from '../declarations.ts';
import { action, guard } from './references.ts';

/** The parts of the plan that the nodes of a state depend on. */
export interface PlanOfState {
  readonly plan: Plan;
  readonly options: PlanOptions;
  readonly declarationOf: DeclarationFinder;
  /** Id of the next state in the list. */
  readonly next: string | undefined;
}

/**
 * The transitions of a state, in the order in which they are tried. Completion is a guard among the others and not
 * XState's own `onDone`, so that priorities order all of them. Spec: docs/formats/plan.md#transitions
 */
export function lowerTransitions(
  state: State,
  { plan, declarationOf, options, next }: PlanOfState,
): ChartTransition[] {
  const ending = state.transitions.length > 0 ? [] : [endingOf(state)];
  const authored = [...transitionsOf(plan, state), ...ending];
  const lowered = authored.map((transition) =>
    lowerTransition(state, transition, { plan, declarationOf }),
  );
  return options.idleTurnLimit === undefined
    ? lowered
    : [
        ...lowered,
        moveTo(next ?? end, state, { type: 'idleTurns', params: { turns: options.idleTurnLimit } }),
      ];
}

/** A state without transitions ends the conversation when it is complete. */
function endingOf(state: State): Transition {
  return {
    target_state_id: end,
    priority: 1,
    condition: { type: state.type === 'goal' ? 'goal_achieved' : 'all_tasks_complete' },
    at: state.at,
  };
}

function lowerTransition(
  state: State,
  transition: Transition,
  {
    plan: { initial_state_id: initial },
    declarationOf,
  }: Pick<PlanOfState, 'plan' | 'declarationOf'>,
): ChartTransition {
  const { target_state_id: target, condition, priority, at } = transition;
  // `lower` is called only for plans without errors, so every condition was read.
  const typed = withDeclaredValues(condition!, (key) => declarationOf(state, key));
  const when = { type: typed.type, params: conditionParams(typed) };
  return {
    ...(target === human
      ? handOverTo(transition, when)
      : target === restart
        ? restartFrom(state, initial, when)
        : moveTo(target, state, when, transition.outcome)),
    description:
      state.transitions.length > 1 || 'except_states' in transition
        ? `${priority}: ${inWords(typed)}`
        : inWords(typed),
    meta: {
      origin: at,
      ...operandsMeta(operandsIn(typed, at)),
      ...(target === human && handOverMeta),
    },
  };
}

/** Hands over to a person. The plan stays in its state. */
function handOverTo(
  { reason }: Transition,
  when: When & { readonly type: ConditionType },
): ChartTransition {
  return {
    guard: guard(when.type, { ...when.params, to: human }),
    actions: [
      action('handOver', {
        condition: { ...when.params, type: when.type } as Condition,
        ...(reason && { reason }),
      }),
    ],
  };
}

function restartFrom(from: State, initial: string, when: When): ChartTransition {
  return {
    target: nodeKey(initial),
    guard: guard(when.type, { ...when.params, to: restart }),
    actions: [action('restart'), action('follow', { from: from.id, to: restart })],
    ...(initial === from.id ? { reenter: true } : {}),
  };
}

interface When {
  readonly type: ConditionType | 'idleTurns';
  readonly params: JsonObject;
}

/** The guard gets the target of its transition: no state is entered twice between two events from outside. */
function moveTo(target: string, from: State, condition: When, outcome?: string): ChartTransition {
  return {
    target: nodeKey(target),
    guard: guard(condition.type, { ...condition.params, to: target }),
    actions: [action('follow', { from: from.id, to: target, ...(outcome && { outcome }) })],
    ...(target === from.id ? { reenter: true } : {}),
  };
}
