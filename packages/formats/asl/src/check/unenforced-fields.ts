import { authoredPart, fieldsAt } from '../authored.ts';
import type { State, Task } from '../definition/index.ts';
import type { UnenforcedFields } from '../definition/blocks.ts';
import { notEnforced } from '../diagnostics/fields.ts';
import { unenforcedWorkflowFields } from '../document.ts';
import { definitionOf } from '../kinds.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** Blocks that guard the work of an agent. A `Resource` works without them. */
const guardsOfAgents: UnenforcedFields = Object.fromEntries(
  ['Guardrails', 'Tools', 'Budget'].map((field) => [
    field,
    'it is for agents, and this task has a "Resource"',
  ]),
);

/**
 * Reports fields that should limit or protect something and do not. A warning, because nobody should rely on them.
 * Spec: docs/formats/asl.md#carried
 */
export const unenforcedFields: WorkflowRule = ({ definition, report }) => {
  const reportFields = (
    fields: UnenforcedFields,
    owner: Pick<typeof definition, 'authored' | 'at'>,
  ) => {
    for (const [path, because] of Object.entries(fields)) {
      for (const { owner: part, field } of fieldsAt(authoredPart(owner), path)) {
        if (part.value[field] === false) continue;
        const at = [...part.at, field];
        report(notEnforced(at.slice(owner.at.length).join('.'), because), at, { at: 'key' });
      }
    }
  };
  if (definition.dialect === 'agent') reportFields(unenforcedWorkflowFields, definition);
  for (const state of statesOf(definition)) {
    reportFields(definitionOf(state.Type).unenforcedFields ?? {}, state);
    if (isServiceTask(state)) reportFields(guardsOfAgents, state);
  }
};

function isServiceTask(state: State): boolean {
  if (state.Type !== 'Task') return false;
  const { Agent: agent, Resource: resource } = state as Task;
  return agent === undefined && resource !== undefined;
}
