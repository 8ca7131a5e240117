import { problem } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';

export const misplacedAll = problem(
  'asl/misplaced-all',
  'error',
  (name: string, isAlone: boolean) => ({
    message: isAlone
      ? `"${name}" matches every error, so later entries are never used.`
      : `"${name}" matches every error, so it must be the only name.`,
    hint: isAlone
      ? 'Move it to the end of the list.'
      : 'Remove the other names, or move it to its own entry at the end.',
  }),
);

export const unknownError = problem(
  'asl/unknown-error',
  'warning',
  (name: string, known: readonly string[]) => ({
    message: `There is no error "${name}". Names that begin with "States." are reserved.`,
    hint: () => didYouMean(name, known) ?? 'Give your own errors names that begin differently.',
  }),
);

export const unknownJitter = problem(
  'asl/unknown-jitter',
  'error',
  (strategy: string, known: readonly string[]) => ({
    message: `There is no jitter strategy "${strategy}".`,
    hint: () => didYouMean(strategy, known) ?? `The strategies are ${known.join(', ')}.`,
  }),
);
