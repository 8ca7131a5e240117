import type { JsonObject } from '@dramaturg/compiler';
import { type ChartTransition, nodeKey, operandsMeta } from '@dramaturg/compiler/chart';
import { conditionParams, inWords, operandsIn } from '../conditions/condition.ts';
import type { ConditionType } from '../conditions/table.ts';
import { withDeclaredValues } from '../conditions/declared-values.ts';
import { end, type PlanOptions, type State, type Transition } from '../definition.ts';
import type { DeclarationFinder } from '../declarations.ts';
import { action, guard } from './references.ts';

/** What the nodes of a state depend on besides the state. */
export interface PlanOfState {
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
  { declarationOf, options, next }: PlanOfState,
): ChartTransition[] {
  const authored = state.transitions.length > 0 ? state.transitions : [endingOf(state)];
  const lowered = authored.map((transition) => lowerTransition(state, transition, declarationOf));
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
  { target_state_id: target, condition, priority, at }: Transition,
  declarationOf: DeclarationFinder,
): ChartTransition {
  // `lower` is called only for plans without errors, so every condition was read.
  const typed = withDeclaredValues(condition!, (key) => declarationOf(state, key));
  return {
    ...moveTo(target, state, { type: typed.type, params: conditionParams(typed) }),
    description: state.transitions.length > 1 ? `${priority}: ${inWords(typed)}` : inWords(typed),
    meta: { origin: at, ...operandsMeta(operandsIn(typed, at)) },
  };
}

/** The guard gets the target of its transition: no state is entered twice between two events from outside. */
function moveTo(
  target: string,
  from: State,
  condition: { type: ConditionType | 'idleTurns'; params: JsonObject },
): ChartTransition {
  return {
    target: nodeKey(target),
    guard: guard(condition.type, { ...condition.params, to: target }),
    actions: [action('follow', { from: from.id, to: target })],
    ...(target === from.id ? { reenter: true } : {}),
  };
}
