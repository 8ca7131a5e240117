import { reachableFrom } from '@dramaturg/compiler/chart';
import { human } from '../definition.ts';
import type { Condition } from '../conditions/table.ts';
import { limitNeverReached } from '../diagnostics/transitions.ts';
import { planGraph } from '../plan-graph.ts';
import type { PlanRule } from './rule.ts';
import { isShared, type TypedTransition, typedTransitions } from './shadowed-transitions.ts';

type TurnLimit = Extract<Condition, { readonly type: 'turn_count_exceeded' }>;

/**
 * Reports limits of turns that are never reached, because a lower one leads out of the state first. A state that others lead back
 * to continues its count, so there each limit may be reached. Spec: docs/formats/plan.md#turn-counts
 */
export const unreachableLimits: PlanRule = ({ definition, options, report }) => {
  const { idleTurnLimit = Infinity } = options;
  const { targets } = planGraph(definition);
  for (const { state, transitions } of typedTransitions(definition)) {
    const leaving = transitions.filter(
      ({ target_state_id: target }) => ![state.id, human].includes(target),
    );
    const others = targets(state.id).filter((target) => target !== state.id);
    const hasLimits = transitions.some(({ condition }) => requiredTurns(condition));
    if (!hasLimits || reachableFrom(others, targets).has(state.id)) continue;
    for (const transition of transitions) {
      const limit = requiredTurns(transition.condition);
      if (!limit || isShared(transition)) continue;
      const sooner = leaving.find((other) => other !== transition && isSooner(other, limit));
      if (sooner) {
        const { turns } = sooner.condition as TurnLimit;
        report(limitNeverReached(limit.turns, turns), transition.at, {
          related: [{ path: sooner.at, message: 'An earlier transition matches first.' }],
          follows: [transition.at, sooner.at],
        });
      } else if (limit.scope === 'without_progress' && idleTurnLimit < limit.turns)
        report(limitNeverReached(limit.turns, idleTurnLimit), transition.at);
    }
  }
};

/** The turns that must pass before a condition can hold. */
function requiredTurns(condition: Condition): TurnLimit | undefined {
  if (condition.type === 'turn_count_exceeded') return condition;
  if (condition.type !== 'all_of') return undefined;
  return condition.conditions.map(requiredTurns).find((limit) => limit !== undefined);
}

/** Whether a transition always leads on before a limit. There are never more turns without progress than turns. */
function isSooner({ condition }: TypedTransition, limit: TurnLimit): boolean {
  if (condition.type !== 'turn_count_exceeded' || condition.turns >= limit.turns) return false;
  if (condition.count && !limit.count) return false;
  return condition.scope === 'total' || limit.scope === 'without_progress';
}
