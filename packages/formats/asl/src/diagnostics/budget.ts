import { problem } from '@dramaturg/compiler';

export const noFallback = problem('asl/no-fallback', 'error', () => ({
  message: '"OnExceed" is "UseFallback", but this budget has no "Fallback".',
  hint: 'Add "Fallback": { "When": "BudgetAt80Percent", "UseModel": "small" }, or set another "OnExceed".',
}));

export const noLimit = problem('asl/no-limit', 'warning', () => ({
  message: 'This budget has no limit, so it is never used up.',
  hint: 'Add "MaxCost": "$5.00", "MaxTokens": 10000 or "MaxDuration": "10m".',
}));
