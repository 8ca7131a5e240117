import type { Authoring, NameReference, PlacePattern } from '@dramaturg/compiler/format';
import { errorsOf } from '../check/unknown-errors.ts';
import { expressionWords } from './expression-words.ts';

const errors = Object.fromEntries(
  errorsOf('agent').map((name) => [name, 'An error of the language.']),
);

const agentFields = ['Agent', 'Arbiter', 'Using', 'TieBreaker', 'OnChunk', 'OnComplete'];
const agentLists = ['Agents', 'VotingAgents', 'Order'];
const toolLists = ['Tools', 'Allowed', 'Denied'];

function named(noun: string, ...places: readonly PlacePattern[]): readonly NameReference[] {
  return places.map((at) => ({ noun, at }));
}

/** The names of a workflow. The states of a branch, or of the machine of a Map, are visible only inside it. */
export const authoring: Authoring = {
  declarations: [
    {
      noun: 'state',
      at: ['**', 'States', '*'],
      kind: ['Type'],
      title: ['Comment'],
      isLocal: true,
    },
    { noun: 'template', at: ['Imports', '*'] },
    { noun: 'tool category', at: ['ToolCategories', '*'] },
  ],
  references: [
    ...named('state', ['**', 'StartAt'], ['**', 'Next'], ['**', 'States', '*', 'Default']),
    ...named('agent', ...agentFields.map((field) => ['**', field])),
    ...named('agent', ...agentLists.map((list) => ['**', list, '#'])),
    ...named('tool', ...toolLists.map((list) => ['**', list, '#'])),
    ...named('tool category', ['**', 'AllowedCategories', '#']),
    ...named('template', ['**', 'Template']),
    ...named('workflow', ['**', 'WorkflowId']),
    { noun: 'error', at: ['**', 'ErrorEquals', '#'], words: errors },
  ],
  words: expressionWords,
  sections: {
    '': 'asl.md#tasks',
    QueryLanguage: 'asl.md#data',
    InputPath: 'asl.md#data',
    OutputPath: 'asl.md#data',
    ResultPath: 'asl.md#data',
    ResultSelector: 'asl.md#data',
    Parameters: 'asl.md#data',
    Arguments: 'asl.md#data',
    Output: 'asl.md#data',
    Assign: 'asl.md#data',
    Prompt: 'asl.md#approval-debate-checkpoint',
    Options: 'asl.md#approval-debate-checkpoint',
    Policy: 'asl.md#approval-debate-checkpoint',
    Escalation: 'asl.md#approval-debate-checkpoint',
    Editable: 'asl.md#approval-debate-checkpoint',
    Notifications: 'asl.md#approval-debate-checkpoint',
    Imports: 'asl.md#composition',
    Template: 'asl.md#composition',
    WorkflowId: 'asl.md#composition',
    ItemReader: 'asl-maps.md#itemreader',
    ResultWriter: 'asl-maps.md#resultwriter',
    Agents: 'asl-agents.md#debate',
    Communication: 'asl-agents.md#debate',
    Consensus: 'asl-agents.md#debate',
    Budget: 'asl-agents.md#budget',
    CircuitBreaker: 'asl-agents.md#circuit-breaker',
    Guardrails: 'asl-agents.md#guardrails',
    Audit: 'asl-agents.md#audit',
    Tools: 'asl-agents.md#tools',
    DefaultTools: 'asl-agents.md#tools',
    Memory: 'asl-agents.md#memory',
    Cache: 'asl-agents.md#cache',
    Context: 'asl-agents.md#context',
    Reasoning: 'asl-agents.md#reasoning',
    Model: 'asl-agents.md#model-generation-streaming',
    Streaming: 'asl-agents.md#model-generation-streaming',
    Events: 'asl-agents.md#events',
    Progress: 'asl-agents.md#progress',
  },
};
