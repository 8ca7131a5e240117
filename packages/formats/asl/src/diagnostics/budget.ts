import { problem } from '@dramaturg/compiler';

export const noFallback = problem('asl/no-fallback', 'error', () => ({
  message:
    'When this budget is used up the workflow falls back, and there is nothing to fall back on.',
  hint: 'Add "Fallback": { "When": "BudgetAt80Percent", "UseModel": "small" }, or another "OnExceed".',
}));

export const noLimit = problem('asl/no-limit', 'warning', () => ({
  message: 'This budget has no limit, so it is never used up.',
  hint: 'Add "MaxCost": "$5.00", "MaxTokens": 10000 or "MaxDuration": "10m".',
}));
