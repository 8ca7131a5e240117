import type { AgentEnding } from './agent-ending.ts';

/** How deep definitions may run one another. Deeper nesting counts as a cycle. */
export const nestingMax = 16;

/** The ending of a definition that would be nested too deeply. */
export function nestingExceeded(name: string): Extract<AgentEnding, { readonly error: string }> {
  const cause = `Definitions run one another ${nestingMax} levels deep. Does "${name}" run itself?`;
  return { error: 'States.NestingLimitExceeded', cause };
}
