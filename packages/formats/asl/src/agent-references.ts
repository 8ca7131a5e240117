import { isRecord } from '@dramaturg/compiler';
import type { AgentReference } from '@dramaturg/compiler/format';

/** Fields whose values are names of agents, or lists of them. */
const agentFields = /Agents?$|^(?:Using|TieBreaker|OnChunk|OnComplete)$/;

/** The agents that a workflow names, wherever the fields are. */
export function agentReferences(workflow: unknown): AgentReference[] {
  const references: AgentReference[] = [];
  const pending: { value: unknown; path: (string | number)[]; field: string }[] = [
    { value: workflow, path: [], field: '' },
  ];
  for (const { value, path, field } of pending) {
    if (typeof value === 'string') {
      const isDefinition = field === 'WorkflowId';
      if (isDefinition || agentFields.test(field))
        references.push({ path, name: value, isDefinition });
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        pending.push({ value: item, path: [...path, index], field });
    } else if (isRecord(value)) {
      for (const [key, part] of Object.entries(value))
        pending.push({ value: part, path: [...path, key], field: key });
    }
  }
  return references;
}
