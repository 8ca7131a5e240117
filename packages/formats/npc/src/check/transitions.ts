import { checkOtherTarget, isOtherTarget, otherTargets } from '@dramaturg/conversation';
import { decisions } from '../definition.ts';
import {
  fieldOfAnotherTarget,
  ignoredDelta,
  leavesTerminalState,
  missingCondition,
  passToItself,
  redirectElsewhere,
  rejectElsewhere,
  rejectWithoutPass,
  rewardedReject,
  unknownState,
} from '../diagnostics/transitions.ts';
import { scenarioGraph } from '../scenario-graph.ts';
import { inStates, unknownFrom, waysOf } from '../wiring.ts';
import type { NpcRule } from './rule.ts';

/** Reports transitions from or to an unknown state, and fields that are for another target. Spec: docs/formats/npc.md#transitions */
export const unknownStates: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { byKey } = scenarioGraph(scenario);
    for (const transition of scenario.transitions) {
      const { to_state_key: to, at } = transition;
      checkOtherTarget({ fieldOfAnotherTarget }, transition, to, report);
      for (const field of ['from_state_key', 'to_state_key'] as const) {
        const key = transition[field];
        const others = field === 'to_state_key' ? Object.keys(otherTargets) : [];
        if (!byKey.has(key) && !others.includes(key))
          report(unknownState(key, [...byKey.keys(), ...others]), [...at, field], {
            ...unknownFrom(scenario, key),
            topic: JSON.stringify([scenario.at, key]),
          });
      }
    }
  }
};

/** Reports a pass that stays, a redirect to another state, and transitions from terminal states. */
export const contradictoryTransitions: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { byKey } = scenarioGraph(scenario);
    for (const {
      from_state_key: from,
      to_state_key: to,
      decision_type,
      at,
    } of scenario.transitions) {
      const isToItself = from === to;
      if (byKey.get(from)?.is_terminal_state)
        report(leavesTerminalState(from), [...at, 'from_state_key'], {
          follows: [[...byKey.get(from)!.at, 'is_terminal_state']],
          topic: JSON.stringify([scenario.at, from]),
        });
      else if (decision_type === 'pass' && isToItself)
        report(passToItself(from), [...at, 'to_state_key']);
      else if (decision_type === 'redirect' && !isToItself && byKey.has(to))
        report(redirectElsewhere(to), [...at, 'to_state_key'], {
          follows: [[...at, 'from_state_key']],
        });
    }
  }
};

/**
 * Reports rejects that add points, or whose target is not entered. In scoring mode a reject follows the pass of its state, which
 * must exist; in pass/fail mode it ends the conversation. Spec: docs/formats/npc.md#effects
 */
export const contradictoryRejects: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { rows, byKey } = scenarioGraph(scenario);
    for (const { state_key } of byKey.values()) {
      if (scenario.scoring_mode !== 'scoring') {
        for (const { to_state_key: to, at } of rows(state_key, 'reject'))
          if (to !== state_key && byKey.get(to)?.is_terminal_state === false)
            report(rejectElsewhere(to), [...at, 'to_state_key'], {
              follows: [[...scenario.at, 'scoring_mode'], ...waysOf(scenario)],
            });
        continue;
      }
      const [pass] = rows(state_key, 'pass');
      const modeAt = [...scenario.at, 'scoring_mode'];
      for (const { score_delta, to_state_key: to, at } of rows(state_key, 'reject')) {
        if (score_delta > 0)
          report(rewardedReject(score_delta), [...at, 'score_delta'], { follows: [modeAt] });
        if (isOtherTarget(to)) continue;
        if (!pass)
          report(rejectWithoutPass(state_key), at, { follows: [modeAt, ...waysOf(scenario)] });
        else if (byKey.has(to) && byKey.has(pass.to_state_key) && to !== pass.to_state_key)
          report(rejectElsewhere(to, pass.to_state_key), [...at, 'to_state_key'], {
            follows: [modeAt, ...waysOf(scenario), ...inStates(scenario, 'terminal_outcome')],
          });
      }
    }
  }
};

/** Reports score deltas in pass/fail mode, which has no score: the scenario was probably switched over. */
export const ignoredDeltas: NpcRule = ({ definition, report }) => {
  for (const { scoring_mode, transitions, at: scenarioAt } of definition.scenarios) {
    if (scoring_mode === 'scoring') continue;
    const modeAt = [...scenarioAt, 'scoring_mode'];
    for (const { score_delta, at } of transitions)
      if (score_delta !== 0)
        report(ignoredDelta(score_delta), [...at, 'score_delta'], {
          follows: [modeAt],
          topic: JSON.stringify(scenarioAt),
        });
  }
};

/** Reports transitions without a condition where a state has several for one decision: an evaluator chooses among them. */
export const missingConditions: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { rows, byKey } = scenarioGraph(scenario);
    for (const { state_key } of byKey.values()) {
      for (const decision of decisions) {
        const several = rows(state_key, decision);
        if (several.length < 2) continue;
        for (const { condition, at } of several)
          if (condition.trim() === '')
            report(missingCondition(decision, state_key), at, {
              about: [[...at, 'condition']],
              follows: several.map((row) => [...row.at, 'condition']),
              topic: JSON.stringify([scenario.at, state_key, decision]),
            });
      }
    }
  }
};
