import type { Path } from '@dramaturg/compiler';
import { reportDuplicates } from '@dramaturg/conversation';
import { eachScenario, type NpcRule, type Scenario } from '../definition.ts';
import { error, warning } from '../problems.ts';
import { inRows, inStates, openScenarios, scenarioGraph, waysOf } from '../scenario-graph.ts';

const noScenarios = error('no-scenarios', () => ({
  message: 'The persona has no scenario.',
  hint: 'Add "machines": [{ "machine_key": ..., "states": [...], "transitions": [...] }].',
}));

const noStates = error('no-states', () => ({
  message: 'The scenario has no states.',
  hint: 'Add an initial state and a terminal one.',
}));

/** Reports a persona without scenarios, and scenarios without states. */
export const missingScenarios: NpcRule = ({ definition, report }) => {
  const { scenarios, scenariosAt } = definition;
  if (scenarios.length === 0)
    report(noScenarios(), scenariosAt, { follows: [['machines'], ['scenarios']] });
  for (const { states, at } of scenarios)
    if (states.length === 0)
      report(noStates(), [...at, 'states'], { follows: [[...at, 'states', '*']] });
};

const duplicateScenario = error('duplicate-scenario', (key: string) => ({
  message: `There is more than one scenario "${key}".`,
  hint: 'Give each scenario a machine_key of its own.',
}));

/** Reports scenarios with the same key. */
export const duplicateScenarios: NpcRule = ({ definition, report }) => {
  const named = definition.scenarios.map(({ machine_key: name, at }) => ({
    name,
    path: [...at, 'machine_key'],
  }));
  reportDuplicates(named, duplicateScenario, report);
};

const noOpenScenario = error('no-open-scenario', () => ({
  message: 'Links open every scenario, so no scenario can be the first.',
  hint: 'Set "is_entry_machine": true in the scenario to begin with.',
}));

/** Reports a persona without any scenario that is open from the start. Spec: docs/formats/npc.md#links */
export const lockedScenarios: NpcRule = ({ definition, report }) => {
  const { scenarios, scenariosAt } = definition;
  if (scenarios.length > 0 && openScenarios(definition).length === 0)
    report(noOpenScenario(), scenariosAt, {
      follows: [
        [...scenariosAt, '*', 'is_entry_machine'],
        ['machine_links', '*'],
      ],
    });
};

const badLimit = error('bad-limit', (field: string, value: number) => ({
  message: `The "${field}" is ${value}, but it cannot be negative.`,
  hint:
    field === 'redirect_limit'
      ? 'Write 0 or more, or null for no limit.'
      : 'Write 0 or more. 0 switches follow-ups off.',
}));

/** Reports negative limits of scenarios and of single states. */
export const negativeLimits = eachScenario((scenario, report) => {
  for (const field of ['redirect_limit', 'follow_up_limit'] as const)
    for (const { [field]: limit, at } of [scenario, ...scenario.states])
      if (limit !== null && limit < 0 && (at === scenario.at || limit !== scenario[field]))
        report(badLimit(field, limit), [...at, field]);
});

const boundNotNegative = error('bound-not-negative', (bound: number) => ({
  message: `The early_fail_bound is ${bound}: the score begins at 0, so the conversation would fail at once.`,
  hint: 'Write a negative number.',
}));

const thresholdBelowBound = error('threshold-below-bound', (threshold: number, bound: number) => ({
  message: `The pass_threshold ${threshold} is not above the early_fail_bound ${bound}, so every session that does not fail early passes.`,
  hint: 'Raise the threshold, or lower the bound.',
}));

/** Reports an early-fail bound at or above the first score, 0, and pass thresholds that are not above the bound. */
export const conflictingThresholds = eachScenario(
  ({ scoring_mode, pass_threshold, early_fail_bound, at }, report) => {
    if (scoring_mode !== 'scoring') return;
    if (early_fail_bound >= 0)
      report(boundNotNegative(early_fail_bound), [...at, 'early_fail_bound'], {
        follows: [[...at, 'scoring_mode']],
      });
    if (pass_threshold <= early_fail_bound)
      report(thresholdBelowBound(pass_threshold, early_fail_bound), [...at, 'pass_threshold'], {
        follows: [
          [...at, 'scoring_mode'],
          [...at, 'early_fail_bound'],
        ],
      });
  },
);

const thresholdOutOfReach = warning(
  'threshold-out-of-reach',
  (field: string, threshold: number, most: number) => ({
    message: `The best possible score is ${most}, below the ${field} ${threshold}, so ${field === 'pass_threshold' ? 'every end is REJECT' : 'this link never leads on'}.`,
    hint: 'Lower the threshold, or raise the "score_delta" of transitions.',
  }),
);

/** Reports pass thresholds, and scores for which links wait, above the best possible score. */
export const unreachableThresholds: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { scoring_mode, pass_threshold, machine_key, at } = scenario;
    if (scoring_mode !== 'scoring') continue;
    const { atEnds, anywhere } = bestScores(scenario);
    const follows = [
      [...at, 'scoring_mode'],
      ...waysOf(scenario),
      ...inRows(scenario, 'score_delta'),
      // Ends with an outcome suggest that the scenario was not meant to be scored.
      ...inStates(scenario, 'terminal_outcome', 'redirect_limit'),
    ];
    const check = (place: Path, field: string, threshold: number, most = Infinity) => {
      if (most < threshold)
        report(thresholdOutOfReach(field, threshold, most), [...place, field], { follows });
    };
    check(at, 'pass_threshold', pass_threshold, atEnds);
    for (const { source_machine_key, condition, at: link } of definition.machine_links)
      if (source_machine_key === machine_key && condition?.type === 'score_gte')
        check(link, 'condition_value', condition.value, anywhere);
  }
};

/** The most states times transitions that this rule searches. Hand-written scenarios are far below. */
const mostSteps = 2_000_000;

/**
 * The best scores at a terminal state (undefined when none can be reached) and in any state, where a session may end early;
 * none when the score is unbounded or unknown. Longest path by relaxation: if a score still grows after as many rounds as there are
 * states, it grows in a loop.
 */
function bestScores(scenario: Scenario): { atEnds?: number; anywhere?: number } {
  const { states, transitions } = scenario;
  if (states.length * transitions.length > mostSteps) return {};
  const { byKey, rows } = scenarioGraph(scenario);
  const best = new Map<string, number>();
  let anywhere = 0;
  for (const state of states) if (state.is_initial_state) best.set(state.state_key, 0);
  for (let round = 0; ; round += 1) {
    let grows = false;
    for (const { state_key, redirect_limit } of byKey.values()) {
      const score = best.get(state_key);
      if (score === undefined) continue;
      const redirects = redirect_limit ?? Infinity;
      const redirected = Math.max(0, ...rows(state_key, 'redirect').map((row) => row.score_delta));
      const stayed = redirected === 0 ? score : score + redirected * redirects;
      const kicked = Math.max(0, ...rows(state_key, 'kick_out').map((row) => row.score_delta));
      anywhere = Math.max(anywhere, stayed + kicked);
      const [pass] = rows(state_key, 'pass');
      for (const row of [...rows(state_key, 'pass'), ...rows(state_key, 'reject')]) {
        const target = row.decision_type === 'pass' ? row.to_state_key : pass?.to_state_key;
        const reached = stayed + row.score_delta;
        anywhere = Math.max(anywhere, reached);
        if (target === undefined || reached <= (best.get(target) ?? -Infinity)) continue;
        best.set(target, reached);
        grows = true;
      }
    }
    if (!grows) break;
    if (round > states.length) return {};
  }
  const ends = states.flatMap((state) =>
    state.is_terminal_state ? (best.get(state.state_key) ?? []) : [],
  );
  return { ...(ends.length > 0 && { atEnds: Math.max(...ends) }), anywhere };
}
