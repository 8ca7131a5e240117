import type { StepChange } from '../instance/step-result.ts';
import type { Letter } from '../store/contract.ts';

/** One change with the effect of several steps, in order. */
export function mergedChanges(changes: readonly StepChange[]): StepChange | undefined {
  const last = changes.at(-1);
  if (!last || changes.length === 1) return last;
  const settled = new Set<string>();
  const effects = new Map<string, Letter>();
  for (const change of changes) {
    for (const letter of change.settled) {
      effects.delete(letter);
      settled.add(letter);
    }
    for (const letter of change.effects) effects.set(letter.id, letter);
  }
  return {
    ...last,
    settled: [...settled],
    effects: [...effects.values()],
    journal: changes.flatMap(({ journal }) => journal),
    transcript: changes.flatMap(({ transcript }) => transcript),
  };
}
