import { problemsOf } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';

const { error, warning } = problemsOf('asl');

export const noComparison = error(
  'no-comparison',
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

export const severalComparisons = error(
  'several-comparisons',
  (operator: string, first: string) => ({
    message: `This rule has two comparisons, "${first}" and "${operator}". It can have one.`,
    hint: 'Put each comparison into its own object in "And" or "Or".',
  }),
);

export const badTimestamp = error('bad-timestamp', (written: string, durations: boolean) => ({
  message: `"${written}" is not a timestamp.`,
  hint: durations
    ? 'Write a timestamp such as 2030-01-20T10:30:00Z, or a duration from now such as "-5m".'
    : 'Write an RFC 3339 timestamp with a "T" and a time zone, such as 2030-01-20T10:30:00Z.',
}));

export const questionMark = warning('question-mark', () => ({
  message:
    'In this pattern "?" matches only a question mark. In some engines it matches any one character.',
  hint: 'Use "*", which matches any text in every engine.',
}));

export const shadowedRule = warning('shadowed-rule', (first: number, example: string) => ({
  message: `This rule is never taken: rule ${first} of the state holds for all that it accepts.`,
  hint: `With ${example}, rule ${first} is taken. Put this rule before it, or change its limits.`,
}));

export const contradictoryRule = warning('contradictory-rule', (variable: string) => ({
  message: `This rule never holds: no value of "${variable}" meets all of its conditions.`,
  hint: 'Use "Or" if one of them is enough, or correct a limit.',
}));
