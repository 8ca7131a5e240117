import type { Compiled } from '@dramaturg/compiler';
import type { StageOptions } from '../../testing/stage-options.ts';
import type { TestCase } from '../../testing/test-file.ts';
import { testsOfWay } from './tests-of-way.ts';
import { rehearsalOf } from '../rehearsal.ts';
import { behavioursOf } from './behaviours-of.ts';
import { mutate, type MutateOptions, type Mutation, playTest } from './mutate.ts';

/** Two definitions that behave the same in this many moves count as equivalent. */
const comparedMoves = { steps: 300, seconds: 4 };

/** Seeds mistakes in a definition and runs its generated tests on each. */
export async function seedMistakes(
  definition: Compiled,
  tests: readonly TestCase[],
  stage: Omit<StageOptions, 'input' | 'lifecycleInput'>,
  { compile, mutantsMax }: Pick<MutateOptions, 'compile' | 'mutantsMax'>,
): Promise<Mutation> {
  const { others = {} } = stage;
  const rehearsal = rehearsalOf(definition, { others });
  const passing: TestCase[] = [];
  for (const test of tests) if ((await playTest(rehearsal, test)) === undefined) passing.push(test);
  const names = new Set(tests.map(({ name }) => name));
  const behaviours = await behavioursOf(rehearsal, comparedMoves);
  return mutate(definition, passing, behaviours, {
    compile,
    others,
    mutantsMax,
    testsOf: (way, { path, words }) =>
      testsOfWay(rehearsal, way, newName(`${path.join('.')}: ${words}`), stage),
  });

  function newName(wanted: string): string {
    const name = `not ${wanted.replaceAll(/\s+/g, ' ').slice(0, 120)}`;
    const free = names.has(name) ? `${name} (${names.size})` : name;
    names.add(free);
    return free;
  }
}
