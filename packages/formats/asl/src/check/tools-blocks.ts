import { authoredPart, type Part, partOf } from '../authored.ts';
import type { Workflow } from '../definition/index.ts';
import { statesOf } from '../walk.ts';

/** The `DefaultTools` of the workflow and the `Tools` of its tasks. */
export function* toolsOf(workflow: Workflow): Generator<Part> {
  const defaults = partOf(authoredPart(workflow), 'DefaultTools');
  if (defaults) yield defaults;
  for (const state of statesOf(workflow)) {
    const tools = state.Type === 'Task' ? partOf(authoredPart(state), 'Tools') : undefined;
    if (tools) yield tools;
  }
}

export function namesIn({ value }: Part, field: string): string[] {
  const names = value[field];
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}
