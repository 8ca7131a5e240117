import { problem } from '@dramaturg/compiler/format';

export const noFallback = problem('asl/no-fallback', 'error', () => ({
  message: '"OnExceed" is "UseFallback", but this budget has no "Fallback".',
  hint: 'Add "Fallback": { "When": "BudgetAt80Percent", "UseModel": "small" }, or set another "OnExceed".',
}));

export const noLimit = problem('asl/no-limit', 'warning', () => ({
  message: 'This budget has no limit, so it is never used up.',
  hint: 'Add "MaxCost": "$5.00", "MaxTokens": 10000 or "MaxDuration": "10m".',
}));

export const tooLittleTime = problem(
  'asl/too-little-time',
  'warning',
  (limit: string, least: string, example: readonly string[]) => ({
    message: `No run can succeed: ${limit} is less than the ${least} that every way to the end waits.`,
    hint: `For example, ${example.join(' → ')} waits ${least}. Raise ${limit.split(' ')[0]}, or wait less.`,
  }),
);

export const smallBudget = problem(
  'asl/small-budget',
  'warning',
  (smaller: string, larger: string, isOfWorkflow: boolean) => ({
    message: `${larger} allows more than ${smaller} of ${isOfWorkflow ? 'the whole workflow' : 'the same state'}: a call that keeps to it can fail with States.BudgetExceeded.`,
    hint: `For example, an answer that uses all of ${larger}. Lower it, or raise ${smaller}.`,
  }),
);
