import { authoredPart, type Part, partOf, partsOf } from '../authored.ts';
import type { Workflow } from '../definition/index.ts';
import { statesOf } from '../walk.ts';

export function* guardrailRules(workflow: Workflow): Generator<{ rule: Part; side: string }> {
  for (const state of statesOf(workflow)) {
    const guardrails = partOf(authoredPart(state), 'Guardrails');
    for (const side of ['Input', 'Output']) {
      const part = guardrails && partOf(guardrails, side);
      if (part) for (const rule of partsOf(part, 'Rules')) yield { rule, side };
    }
  }
}
