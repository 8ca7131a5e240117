import type { TestStep } from '../testing/test-file.ts';
import type { AnswerMove, Move } from './player.ts';

/**
 * The moves as the steps of a test: a happening with the answers that follow it.
 *
 * @returns undefined when a test file cannot express them: the answers of a step are given in order, so the understudy cannot answer
 *   before a given answer of the same port
 */
export function stepsOf(moves: readonly Move[]): readonly TestStep[] | undefined {
  const steps: TestStep[] = [];
  for (const { happening, answers } of groupsOf(moves)) {
    const given: NonNullable<TestStep['answers']> = [];
    for (const [index, { port, answer, usual }] of answers.entries()) {
      const rest = answers.slice(index + 1);
      const isNeeded = rest.some((each) => each.port === port && each.answer !== undefined);
      const written = answer ?? (isNeeded ? usual : undefined);
      if (written !== undefined) given.push(written);
      else if (isNeeded) return undefined;
    }
    steps.push({ ...happening, ...(given.length > 0 ? { answers: given } : {}) });
  }
  return steps;
}

/** The first group is the start: nothing happens in it. */
function groupsOf(moves: readonly Move[]) {
  const groups: { readonly happening?: object; readonly answers: AnswerMove[] }[] = [
    { answers: [] },
  ];
  for (const move of moves)
    if ('happening' in move) groups.push({ happening: move.happening, answers: [] });
    else groups.at(-1)!.answers.push(move);
  return groups;
}
