import type { Mutant } from '../../exploring/mutating/mutate.ts';

/** The figure of a mutation: mistakes that `check` refuses or that make no difference do not count. */
export function mutationScore(mutants: readonly Mutant[]) {
  const count = (fate: Mutant['fate']) => mutants.filter((mutant) => mutant.fate === fate).length;
  const counts = {
    refused: count('refused'),
    found: count('found'),
    added: count('added'),
    equivalent: count('equivalent'),
    missed: count('missed'),
  };
  const found = counts.found + counts.added;
  return { counts, found, added: counts.added, relevant: found + counts.missed };
}
