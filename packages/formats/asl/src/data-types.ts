import { isRecord, type JsonObject } from '@dramaturg/compiler';
import type { AgentReference, DataTypes } from '@dramaturg/compiler/format';
import type { Workflow } from './definition/index.ts';

/** The types of a workflow's states and agents, and of the actor's input and output. */
export function dataTypes(workflow: Workflow): DataTypes {
  const names = agentReferences(workflow.authored).map(({ name }) => name);
  const text: JsonObject = { type: ['string', 'null'] };
  return {
    State: {
      enum: workflow.States.map(({ name }) => name),
      description: 'The names of the states, without those of branches and items.',
    },
    Agent: { enum: [...new Set(names)], description: 'The names of the agents.' },
    Data: dataSchema(workflow.authored['Parameters']),
    Input: {
      type: 'object',
      description: "The actor's input.",
      properties: {
        input: { $ref: '#/definitions/Data' },
        id: { type: 'string', description: 'Names this run.' },
        name: { type: 'string' },
        variables: { type: 'object', additionalProperties: {} },
      },
    },
    Output: {
      description: "The actor's output.",
      anyOf: [
        {
          type: 'object',
          properties: { status: { enum: ['succeeded'] }, output: {} },
          required: ['status', 'output'],
        },
        {
          type: 'object',
          properties: { status: { enum: ['failed', 'timedOut'] }, error: text, cause: text },
          required: ['status', 'error', 'cause'],
        },
      ],
    },
  };
}

/** The schema of the first state's data. Only a template declares it, by its parameters. Agent 10 §Templates */
function dataSchema(parameters: unknown): JsonObject {
  const description = 'The data of the first state.';
  if (!isRecord(parameters)) return { description };
  const entries = Object.entries(parameters).filter(([, one]) => isRecord(one));
  return {
    type: 'object',
    description,
    properties: Object.fromEntries(
      entries.map(([name, one]) => [name, parameterSchema(one as Record<string, unknown>)]),
    ),
    required: entries
      .filter(
        ([, one]) => isRecord(one) && one['Required'] === true && one['Default'] === undefined,
      )
      .map(([name]) => name),
  };
}

function parameterSchema({
  Type: type,
  Description: description,
  Enum: values,
}: Record<string, unknown>): JsonObject {
  return {
    ...(typeof type === 'string' && { type }),
    ...(Array.isArray(values) && { enum: values }),
    ...(typeof description === 'string' && { description }),
  };
}

/** Matches fields that name an agent, or a list of agents. */
const agentFields = /Agents?$|^(?:Using|TieBreaker|OnChunk|OnComplete)$/;

/** The agents that a workflow names, in fields at any depth. */
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
