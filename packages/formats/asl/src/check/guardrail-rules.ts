import { authoredPart, type Part, partOf, partsOf } from '../authored.ts';
import type { State, Workflow } from '../definition/index.ts';
import { statesOf } from '../walk.ts';

/** The rules of all guardrails, with the state that they guard. */
export function* guardrailRules(
  workflow: Workflow,
): Generator<{ readonly rule: Part; readonly side: string; readonly state: State }> {
  for (const state of statesOf(workflow)) {
    const guardrails = partOf(authoredPart(state), 'Guardrails');
    for (const side of ['Input', 'Output']) {
      const part = guardrails && partOf(guardrails, side);
      if (part) for (const rule of partsOf(part, 'Rules')) yield { rule, side, state };
    }
  }
}
