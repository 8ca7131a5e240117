import type { Scenario } from '../definition.ts';
import { thresholdOutOfReach } from '../diagnostics/scenarios.ts';
import { inRows, inStates, waysOf } from '../wiring.ts';
import { scenarioGraph } from '../scenario-graph.ts';
import type { NpcRule } from './rule.ts';

/** Reports pass thresholds above the best possible score. */
export const unreachableThresholds: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { scoring_mode, pass_threshold, at } = scenario;
    if (scoring_mode !== 'scoring') continue;
    const most = bestScore(scenario);
    if (most !== undefined && most < pass_threshold)
      report(thresholdOutOfReach(pass_threshold, most), [...at, 'pass_threshold'], {
        follows: [
          [...at, 'scoring_mode'],
          ...waysOf(scenario),
          ...inRows(scenario, 'score_delta'),
          // Ends with an outcome suggest that the scenario was not meant to be scored.
          ...inStates(scenario, 'terminal_outcome', 'redirect_limit'),
        ],
      });
  }
};

/** The most states times transitions that this rule searches. Hand-written scenarios are far below. */
const mostSteps = 2_000_000;

/**
 * The best score at a terminal state; undefined when none can be reached, or when the score is unbounded or unknown. Longest path
 * by relaxation: if a score still grows after as many rounds as there are states, it grows in a loop.
 */
function bestScore(scenario: Scenario): number | undefined {
  const { states, transitions } = scenario;
  if (states.length * transitions.length > mostSteps) return undefined;
  const { byKey, rows } = scenarioGraph(scenario);
  const best = new Map<string, number>();
  for (const state of states) if (state.is_initial_state) best.set(state.state_key, 0);
  for (let round = 0; ; round += 1) {
    let grows = false;
    for (const { state_key, redirect_limit } of byKey.values()) {
      const score = best.get(state_key);
      if (score === undefined) continue;
      const redirects = redirect_limit ?? Infinity;
      const redirected = Math.max(0, ...rows(state_key, 'redirect').map((row) => row.score_delta));
      const stayed = redirected === 0 ? score : score + redirected * redirects;
      const [pass] = rows(state_key, 'pass');
      for (const row of [...rows(state_key, 'pass'), ...rows(state_key, 'reject')]) {
        const target = row.decision_type === 'pass' ? row.to_state_key : pass?.to_state_key;
        const reached = stayed + row.score_delta;
        if (target === undefined || reached <= (best.get(target) ?? -Infinity)) continue;
        best.set(target, reached);
        grows = true;
      }
    }
    if (!grows) break;
    if (round > states.length) return undefined;
  }
  const ends = states.flatMap((state) =>
    state.is_terminal_state ? (best.get(state.state_key) ?? []) : [],
  );
  return ends.length > 0 ? Math.max(...ends) : undefined;
}
