import { didYouMean, problem } from '@dramaturg/compiler';

export const noComparison = problem(
  'asl/no-comparison',
  'error',
  (fields: readonly string[], known: readonly string[]) => ({
    message: 'This rule has no comparison.',
    hint: () => {
      for (const field of fields) {
        const near = didYouMean(field, known);
        if (near !== undefined) return near;
      }
      return 'Add a comparison such as "StringEquals", or "And", "Or", "Not".';
    },
  }),
);

export const severalComparisons = problem(
  'asl/several-comparisons',
  'error',
  (operator: string, first: string) => ({
    message: `A rule has one comparison, and this one has "${first}" and "${operator}".`,
    hint: 'Put each comparison into an object of its own, within "And" or "Or".',
  }),
);

export const badTimestamp = problem(
  'asl/bad-timestamp',
  'error',
  (written: string, durations: boolean) => ({
    message: `"${written}" is no timestamp.`,
    hint: durations
      ? 'Write a timestamp such as 2030-01-20T10:30:00Z, or a duration from now such as "-5m".'
      : 'Write it as RFC 3339 has it: 2030-01-20T10:30:00Z, with a "T" and a time zone.',
  }),
);

export const questionMark = problem('asl/question-mark', 'warning', () => ({
  message:
    'In a pattern "?" is an ordinary character here; some engines take it for any one character.',
  hint: 'Use "*", which matches any text everywhere.',
}));
