import {
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
import { decisions } from '../definition.ts';
import { inStates, unknownFrom, waysOf } from '../places.ts';
import { scenarioGraph } from '../scenario-graph.ts';
import type { NpcRule } from './rule.ts';

/** A transition connects states of its scenario. Spec: docs/formats/npc.md#transitions */
export const statesExist: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { byKey } = scenarioGraph(scenario);
    for (const transition of scenario.transitions) {
      for (const field of ['from_state_key', 'to_state_key'] as const) {
        const key = transition[field];
        if (!byKey.has(key))
          report(unknownState(key, [...byKey.keys()]), [...transition.at, field], {
            ...unknownFrom(scenario, key),
            topic: JSON.stringify([scenario.at, key]),
          });
      }
    }
  }
};

/** A pass moves, a redirect stays, and nothing leaves a terminal state. */
export const moves: NpcRule = ({ definition, report }) => {
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
 * A reject does not lead where it says: in scoring mode it moves on by the pass, which it needs, and in pass/fail mode it
 * ends the conversation. Spec: docs/formats/npc.md#effects
 */
export const rejects: NpcRule = ({ definition, report }) => {
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

/** In pass/fail mode no score accumulates; deltas are left from a scenario that was switched over. */
export const deltas: NpcRule = ({ definition, report }) => {
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

/** Of several transitions for one decision, each says when it is meant: an evaluator chooses among them. */
export const conditions: NpcRule = ({ definition, report }) => {
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
