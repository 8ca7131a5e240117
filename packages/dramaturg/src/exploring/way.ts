import type { TestStep } from '../testing/test-file.ts';
import type { Beginning } from './moment.ts';
import type { AnswerMove, Move } from './player.ts';

/** A way into the definition: its beginning and its moves. */
export interface Way {
  readonly beginning: Beginning;
  readonly moves: readonly Move[];
  /** Everything that it reaches. */
  readonly units: ReadonlySet<string>;
  /** Whether the last move is refused. */
  readonly isRefused?: boolean;
  /** Whether the search of a lifecycle has found it, which answers more calls with moves of their own. */
  readonly isOfLifecycle?: boolean;
}

/** Marks ways that end with a failed workflow: others are better examples. */
export const failedMark = 'input failed';

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
