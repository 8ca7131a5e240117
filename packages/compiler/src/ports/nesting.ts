import type { AgentEnding } from './agent-ending.ts';

/** How deep definitions may run one another. A deeper nesting is taken for a cycle. */
export const nestingMax = 16;

/** The ending of a definition that would be nested too deep. */
export function nestingExceeded(name: string): Extract<AgentEnding, { readonly error: string }> {
  const cause = `Definitions run one another ${nestingMax} levels deep. Does "${name}" run itself?`;
  return { error: 'States.NestingLimitExceeded', cause };
}
