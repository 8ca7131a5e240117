import {
  ignoredDelta,
  leavesTerminalState,
  missingCondition,
  passToItself,
  redirectElsewhere,
  rejectWithoutPass,
  rewardedReject,
  unknownState,
} from '../diagnostics/transitions.ts';
import { decisions } from '../definition.ts';
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
          report(unknownState(key, [...byKey.keys()]), [...transition.at, field]);
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
        report(leavesTerminalState(from), [...at, 'from_state_key']);
      else if (decision_type === 'pass' && isToItself)
        report(passToItself(from), [...at, 'to_state_key']);
      else if (decision_type === 'redirect' && !isToItself && byKey.has(to))
        report(redirectElsewhere(to), [...at, 'to_state_key']);
    }
  }
};

/** In scoring mode a reject needs a pass to move by, and usually costs something. */
export const rejects: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    if (scenario.scoring_mode !== 'scoring') continue;
    const { rows, byKey } = scenarioGraph(scenario);
    for (const { state_key } of byKey.values()) {
      const hasPass = rows(state_key, 'pass').length > 0;
      for (const { score_delta, at } of rows(state_key, 'reject')) {
        if (score_delta > 0) report(rewardedReject(score_delta), [...at, 'score_delta']);
        if (!hasPass) report(rejectWithoutPass(state_key), at);
      }
    }
  }
};

/** In pass/fail mode no score accumulates; deltas are left from a scenario that was switched over. */
export const deltas: NpcRule = ({ definition, report }) => {
  for (const { scoring_mode, transitions } of definition.scenarios) {
    if (scoring_mode === 'scoring') continue;
    for (const { score_delta, at } of transitions)
      if (score_delta !== 0) report(ignoredDelta(score_delta), [...at, 'score_delta']);
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
          if (condition.trim() === '') report(missingCondition(decision, state_key), at);
      }
    }
  }
};
