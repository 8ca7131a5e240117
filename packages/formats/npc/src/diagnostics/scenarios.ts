import { problemsOf } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';

const { error, warning } = problemsOf('npc');

/** Problems of a whole scenario. */

export const noScenarios = error('no-scenarios', () => ({
  message: 'The persona has no scenario.',
  hint: 'Add "machines": [{ "machine_key": ..., "states": [...], "transitions": [...] }].',
}));

export const tooMany = error('too-many', (count: number, limit: number) => ({
  message: `This list has ${count} entries. The limit is ${limit}.`,
  hint: 'Leave out what is not needed, or split the scenario.',
}));

export const duplicateScenario = error('duplicate-scenario', (key: string) => ({
  message: `There is more than one scenario "${key}".`,
  hint: 'Give each scenario a machine_key of its own.',
}));

export const noOpenScenario = error('no-open-scenario', () => ({
  message: 'Links open every scenario, so no scenario can be the first.',
  hint: 'Set "is_entry_machine": true in the scenario to begin with.',
}));

export const unknownScoringMode = error('unknown-scoring-mode', (mode: string) => ({
  message: `There is no scoring mode "${mode}".`,
  hint: () =>
    didYouMean(mode, ['scoring', 'pass_fail'], { pass: 'pass_fail', score: 'scoring' }) ??
    'The modes are scoring and pass_fail.',
}));

export const badLimit = error('bad-limit', (field: string, value: number) => ({
  message: `The "${field}" is ${value}, but it cannot be negative.`,
  hint:
    field === 'redirect_limit'
      ? 'Write 0 or more, or null for no limit.'
      : 'Write 0 or more. 0 switches follow-ups off.',
}));

export const boundNotNegative = error('bound-not-negative', (bound: number) => ({
  message: `The early_fail_bound is ${bound}: the score begins at 0, so the conversation would fail at once.`,
  hint: 'Write a negative number.',
}));

export const thresholdBelowBound = error(
  'threshold-below-bound',
  (threshold: number, bound: number) => ({
    message: `The pass_threshold ${threshold} is not above the early_fail_bound ${bound}, so every session that does not fail early passes.`,
    hint: 'Raise the threshold, or lower the bound.',
  }),
);

export const thresholdOutOfReach = warning(
  'threshold-out-of-reach',
  (threshold: number, most: number) => ({
    message: `The best possible score is ${most}, below the pass_threshold ${threshold}, so every end is REJECT.`,
    hint: 'Lower the threshold, or raise the "score_delta" of transitions.',
  }),
);
