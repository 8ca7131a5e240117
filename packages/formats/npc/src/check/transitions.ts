import { didYouMean } from '@dramaturg/compiler/text';
import { createOtherTargetCheck, isOtherTarget, otherTargets } from '@dramaturg/conversation';
import { decisions, eachScenario } from '../definition.ts';
import { error, warning } from '../problems.ts';
import { inStates, scenarioGraph, unknownFrom, waysOf } from '../scenario-graph.ts';

const checkOtherTarget = createOtherTargetCheck({ warning }, 'to_state_key');

const unknownState = error('unknown-state', (key: string, known: readonly string[]) => ({
  message: `There is no state "${key}" in the scenario.`,
  hint: () => didYouMean(key, known) ?? 'Write the state_key of a state of this scenario.',
}));

/** Reports transitions from or to an unknown state, and fields that are for another target. Spec: docs/formats/npc.md#transitions */
export const unknownStates = eachScenario((scenario, report) => {
  const { byKey } = scenarioGraph(scenario);
  for (const transition of scenario.transitions) {
    const { to_state_key: to, at } = transition;
    checkOtherTarget(transition, to, report);
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
});

const leavesTerminalState = error('leaves-terminal-state', (key: string) => ({
  message: `The state "${key}" is terminal, so no transition can leave it.`,
  hint: 'Remove the transition, or set "is_terminal_state": false.',
}));

const passToItself = error('pass-to-itself', (key: string) => ({
  message: `This pass leads from "${key}" back to itself.`,
  hint: 'Lead to another state, or write "decision_type": "redirect" to stay.',
}));

const redirectElsewhere = warning('redirect-elsewhere', (key: string) => ({
  message: `A redirect stays in its state, so the state "${key}" is not entered.`,
  hint: 'Lead to its own state, or make it a pass.',
}));

/** Reports a pass that stays, a redirect to another state, and transitions from terminal states. */
export const contradictoryTransitions = eachScenario((scenario, report) => {
  const { byKey } = scenarioGraph(scenario);
  for (const transition of scenario.transitions) {
    const { from_state_key: from, to_state_key: to, decision_type, at } = transition;
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
});

const rejectElsewhere = warning('reject-elsewhere', (target: string, pass?: string) => ({
  message:
    pass === undefined
      ? `In pass/fail mode a reject ends the conversation, so the state "${target}" is not entered.`
      : `In scoring mode a reject follows the transition for a pass, to "${pass}", so the state "${target}" is not entered.`,
  hint:
    pass === undefined
      ? `Name a terminal state. To reach "${target}", make this a pass with a "condition".`
      : `Write "${pass}" here. To reach "${target}", add a second pass with a "condition".`,
}));

const rewardedReject = warning('rewarded-reject', (delta: number) => ({
  message: `This reject adds ${delta} to the score.`,
  hint: 'Write a negative "score_delta", which is usual for a reject.',
}));

const rejectWithoutPass = warning('reject-without-pass', (key: string) => ({
  message: `In scoring mode a reject follows the transition for a pass. "${key}" has none, so the reject ends the conversation with REJECT.`,
  hint: 'Add a transition with "decision_type": "pass".',
}));

/**
 * Reports rejects that add points, or whose target is not entered. In scoring mode a reject follows the pass of its state, which
 * must exist; in pass/fail mode it ends the conversation. Spec: docs/formats/npc.md#effects
 */
export const contradictoryRejects = eachScenario((scenario, report) => {
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
});

const ignoredDelta = warning('ignored-delta', (delta: number) => ({
  message: `The score_delta ${delta} has no effect in pass/fail mode.`,
  hint: 'Remove it, or set "scoring_mode": "scoring".',
}));

/** Reports score deltas in pass/fail mode, which has no score: the scenario was probably switched over. */
export const ignoredDeltas = eachScenario(
  ({ scoring_mode, transitions, at: scenarioAt }, report) => {
    if (scoring_mode === 'scoring') return;
    const modeAt = [...scenarioAt, 'scoring_mode'];
    for (const { score_delta, at } of transitions)
      if (score_delta !== 0)
        report(ignoredDelta(score_delta), [...at, 'score_delta'], {
          follows: [modeAt],
          topic: JSON.stringify(scenarioAt),
        });
  },
);

const missingCondition = warning('missing-condition', (decision: string, state: string) => ({
  message: `The state "${state}" has several transitions for ${decision}, and this one has no "condition".`,
  hint: 'Add "condition": a text that says when the evaluator should choose it.',
}));

/** Reports transitions without a condition where a state has several for one decision: an evaluator chooses among them. */
export const missingConditions = eachScenario((scenario, report) => {
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
});
