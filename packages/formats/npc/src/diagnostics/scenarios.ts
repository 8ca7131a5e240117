import { didYouMean, problem } from '@dramaturg/compiler';

/** What can be wrong with a scenario as a whole. */

export const noScenarios = problem('npc/no-scenarios', 'error', () => ({
  message: 'The persona has no scenario.',
  hint: 'Add "machines": [{ "machine_key": ..., "states": [...], "transitions": [...] }].',
}));

export const tooMany = problem('npc/too-many', 'error', (count: number, limit: number) => ({
  message: `This list has ${count} entries, and it may have ${limit}.`,
  hint: 'Leave out what is not needed, or split the scenario.',
}));

export const duplicateScenario = problem('npc/duplicate-scenario', 'error', (key: string) => ({
  message: `There is more than one scenario "${key}".`,
  hint: 'Give each scenario a machine_key of its own.',
}));

export const noOpenScenario = problem('npc/no-open-scenario', 'error', () => ({
  message: 'Every scenario is opened by another one, so none can be the first.',
  hint: 'Set "is_entry_machine": true in the scenario that is open from the start.',
}));

export const unknownScoringMode = problem('npc/unknown-scoring-mode', 'error', (mode: string) => ({
  message: `There is no scoring mode "${mode}".`,
  hint: () =>
    didYouMean(mode, ['scoring', 'pass_fail'], { pass: 'pass_fail', score: 'scoring' }) ??
    'The modes are scoring and pass_fail.',
}));

export const badLimit = problem('npc/bad-limit', 'error', (field: string, value: number) => ({
  message: `The "${field}" is ${value}, and it cannot be negative.`,
  hint:
    field === 'redirect_limit'
      ? 'Write 0 or more, or null for no limit.'
      : 'Write 0 to switch follow-up off, or more.',
}));

export const boundNotNegative = problem('npc/bound-not-negative', 'error', (bound: number) => ({
  message: `The early_fail_bound is ${bound}: the score begins at 0, so the conversation would fail at once.`,
  hint: 'Write a negative number.',
}));

export const thresholdBelowBound = problem(
  'npc/threshold-below-bound',
  'error',
  (threshold: number, bound: number) => ({
    message: `The pass_threshold ${threshold} does not exceed the early_fail_bound ${bound}, so no score can fail to pass.`,
    hint: 'Raise the threshold, or lower the bound.',
  }),
);

export const thresholdOutOfReach = problem(
  'npc/threshold-out-of-reach',
  'warning',
  (threshold: number, most: number) => ({
    message: `No way through the states brings more than ${most}, and the pass_threshold is ${threshold}: every end is REJECT.`,
    hint: 'Lower the threshold, or raise the "score_delta" of transitions.',
  }),
);
