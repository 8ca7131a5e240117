import type { Path } from '@dramaturg/compiler';

/** Fields with strings that the interpreter compares. Other strings are names of agents, or data that agents receive. */
const comparedFields = ['Choices', 'ErrorEquals'];

/**
 * Whether a string with a placeholder decides what a run does. `Resource` does not: agents are found by the string as
 * written.
 */
export function placeholderMatters(path: Path): boolean {
  return path.some((step) => comparedFields.includes(String(step)));
}
