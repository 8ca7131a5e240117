import { problem } from '@dramaturg/compiler/format';

export const badDuration = problem(
  'asl/bad-duration',
  'error',
  (written: string, orNever: boolean) => ({
    message: `"${written}" is not a duration.`,
    hint: `Write a number with its unit: "30s", "15m", "24h", "7d", "2w"${orNever ? ', or "never"' : ''}.`,
  }),
);
