import type { Path } from '@dramaturg/compiler';

/** Fields whose texts the interpreter compares. Texts elsewhere are names of agents, or data that agents receive. */
const comparedFields = ['Choices', 'ErrorEquals'];

/** Whether a text with a placeholder decides what a run does. `Resource` does not: agents are found by the text as written. */
export function placeholderMatters(path: Path): boolean {
  return path.some((step) => comparedFields.includes(String(step)));
}
