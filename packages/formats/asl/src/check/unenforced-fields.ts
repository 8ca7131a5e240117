import { authoredPart, fieldsAt } from '../authored.ts';
import type { UnenforcedFields } from '../definition/field.ts';
import { idempotencyFields } from '../definition/idempotency.ts';
import type { State } from '../definition/index.ts';
import type { Task } from '../kinds/task/definition.ts';
import { limitingToolFields, unenforcedToolFields } from '../definition/tools.ts';
import { notEnforced } from '../diagnostics/fields.ts';
import { unenforcedWorkflowFields } from '../document.ts';
import { definitionOf } from '../kinds.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** Limits of tools that a definition, and a tool of a server, cannot enforce. A run with them fails before the call. */
const limitsOfNested: UnenforcedFields = Object.fromEntries(
  limitingToolFields
    .filter((field) => !Object.hasOwn(unenforcedToolFields, field))
    .map((field) => [
      `Tools.${field}`,
      'the agent is a definition or a tool, which enforces only "Allowed" and "Denied"',
    ]),
);

/** What a definition does not take over from the task that runs it. A tool has neither events nor a model. */
const unheededByNested: UnenforcedFields = {
  'Audit.Redact': 'the agent is a definition, and its own events show the data',
  'Generation.MaxTokens': 'the agent is a definition, and its own agents do not know it',
};

/** The kind of an agent that is written as a definition or as a tool of a server: `plan:intake`, `mcp:files/read`. */
function nestedKind(state: State): string | undefined {
  const { Agent: agent = '' } = state as Partial<Task>;
  return /^([a-z][\w-]*):[\w./-]+$/.exec(agent)?.[1];
}

/** Blocks of agents. A `Resource` works without them. */
const forAgents = (fields: readonly string[]): UnenforcedFields =>
  Object.fromEntries(
    fields.map((field) => [field, 'it is for agents, and this task has a "Resource"']),
  );
const guardsOfAgents = forAgents(['Guardrails', 'Tools', 'Budget', 'Context', 'Reasoning']);
const otherBlocksOfAgents = forAgents([
  'Memory',
  'Cache',
  'Model',
  'Generation',
  'Streaming',
  ...Object.keys(idempotencyFields),
]);

/**
 * Reports fields that should limit or protect something and do not. Warnings where an agent may enforce them.
 * Spec: docs/formats/asl.md#carried
 */
export const unenforcedFields: WorkflowRule = ({ definition, report }) => {
  const reportFields = (
    fields: UnenforcedFields,
    owner: Pick<typeof definition, 'authored' | 'at'>,
    severity?: 'error',
  ) => {
    for (const [path, because] of Object.entries(fields)) {
      for (const { owner: part, field } of fieldsAt(authoredPart(owner), path)) {
        if (part.value[field] === false) continue;
        const at = [...part.at, field];
        const problem = notEnforced(at.slice(owner.at.length).join('.'), because);
        report(severity ? { ...problem, severity } : problem, at, { at: 'key' });
      }
    }
  };
  if (definition.dialect === 'agent') reportFields(unenforcedWorkflowFields, definition);
  for (const state of statesOf(definition)) {
    reportFields(definitionOf(state.Type).unenforcedFields ?? {}, state);
    if (isServiceTask(state)) {
      reportFields(guardsOfAgents, state, 'error');
      if (definition.dialect === 'agent') reportFields(otherBlocksOfAgents, state);
    }
    const kind = nestedKind(state);
    if (kind !== undefined) reportFields(limitsOfNested, state);
    if (kind !== undefined && kind !== 'mcp') reportFields(unheededByNested, state);
  }
};

function isServiceTask(state: State): boolean {
  if (state.Type !== 'Task') return false;
  const { Agent: agent, Resource: resource } = state as Task;
  return agent === undefined && resource !== undefined;
}
