import { play } from 'dramaturg/testing';
import { ports, type TestedDefinition } from './tested-definitions.ts';

/**
 * Runs a test as `dramaturg test` does in each thread, with all that it reads after each step. Returns the last state of the definition,
 * as `bareRun` does.
 */
export async function testRun(tested: TestedDefinition): Promise<string> {
  const { definition, input, happenings, state, expectation } = tested;
  const steps = [{}, ...happenings];
  const checked = [...steps.slice(0, -1), { ...steps.at(-1), ...expectation }];
  await play(definition, checked, { ports, ...(input ? { input } : {}) });
  return state;
}
