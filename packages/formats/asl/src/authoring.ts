import type {
  Authoring,
  TypedValue,
  NameReference,
  PathPattern,
  Word,
} from '@dramaturg/compiler/format';
import { errorsOf } from './check/recoveries.ts';
import { functionsOf } from './data/intrinsic/functions.ts';

const pathField = /(?:Path|\.\$)$|^Variable$/;

/** Fields of the context object. Spec: Agent 3 §Context object, AWS "Context object" */
const contextFields = [
  'Execution.Id',
  'Execution.Input',
  'Execution.Name',
  'Execution.StartTime',
  'Map.Item.Index',
  'Map.Item.Value',
  'State.EnteredTime',
  'State.Name',
  'State.RetryCount',
  'StateMachine.Id',
  'StateMachine.Name',
  'Task.Token',
];

const functions = Object.keys(functionsOf('agent')).map((name) => ({
  word: `${name}(`,
  meaning: 'An intrinsic function.',
}));

/** The data of a state that JSONata can read. Spec: AWS "Transforming data with JSONata", reserved variable */
const states: readonly Word[] = [
  { word: '$states.input', meaning: 'The input of the state.' },
  { word: '$states.result', meaning: 'The result of the work.' },
  { word: '$states.errorOutput', meaning: 'The error that was caught.' },
  ...contextFields.map((field) => ({
    word: `$states.context.${field}`,
    meaning: 'A field of the context object.',
  })),
];

/** Paths, variables and functions for fields with expressions: those of the workflow, and those of the language. */
function expressionWords({ path, typed, definition }: TypedValue): readonly Word[] {
  const start = typed.lastIndexOf('{%');
  if (start >= 0) return typed.includes('%}', start) ? [] : jsonataWords(typed, definition);
  const field = path.findLast((step) => typeof step === 'string') ?? '';
  if (!pathField.test(field)) return [];
  const from = typed.length - /[\w$.[\]@*'-]*$/.exec(typed)![0].length;
  const words = [
    ...pathsIn(definition),
    ...variablesIn(definition).map((name) => ({ word: name, meaning: 'A variable.' })),
    ...contextFields.map((name) => ({
      word: `$$.${name}`,
      meaning: 'A field of the context object.',
    })),
    ...(field.endsWith('.$') ? functions : []),
  ];
  return words.map((word) => ({ ...word, from }));
}

function jsonataWords(typed: string, definition: unknown): readonly Word[] {
  const from = typed.length - /[\w$.]*$/.exec(typed)![0].length;
  const variables = variablesIn(definition).map((word) => ({ word, meaning: 'A variable.' }));
  return [...states, ...variables].map((word) => ({ ...word, from }));
}

/** The paths that the workflow already has, such as result paths. */
function pathsIn(definition: unknown): readonly Word[] {
  const paths = textsIn(definition).filter(
    ({ field, text }) => pathField.test(field) && /^\$(?:\.[\w-]+|\[[^\]]*\])*$/.test(text),
  );
  const results = new Set(paths.flatMap(({ field, text }) => (field === 'ResultPath' ? text : [])));
  return [...new Set(['$', ...paths.map(({ text }) => text)])].map((word) => ({
    word,
    meaning: results.has(word) ? 'Where a state puts its result.' : 'A path into the data.',
  }));
}

function variablesIn(definition: unknown): readonly string[] {
  const names = textsIn(definition).flatMap(({ parent, field }) =>
    parent === 'Assign' ? [`$${field.replace(/\.\$$/, '')}`] : [],
  );
  return [...new Set(names)];
}

/** A string or another scalar of a definition. */
interface WrittenText {
  readonly text: string;
  /** The key that has it, or the key of the list around it. */
  readonly field: string;
  /** The key of the object around it. */
  readonly parent: string;
}

/** Every scalar of a definition, in no order. */
function textsIn(definition: unknown): readonly WrittenText[] {
  const found: WrittenText[] = [];
  const pending = [{ value: definition, field: '', parent: '' }];
  for (const { value, field, parent } of pending) {
    if (typeof value !== 'object' || value === null) {
      found.push({ text: String(value), field, parent });
      continue;
    }
    const isList = Array.isArray(value);
    for (const [key, item] of Object.entries(value))
      pending.push({
        value: item,
        field: isList ? field : key,
        parent: isList ? parent : field,
      });
  }
  return found;
}

const errors = Object.fromEntries(
  errorsOf('agent').map((name) => [name, 'An error of the language.']),
);

const agentFields = ['Agent', 'Arbiter', 'Using', 'TieBreaker', 'OnChunk', 'OnComplete'];
const agentLists = ['Agents', 'VotingAgents', 'Order'];
const toolLists = ['Tools', 'Allowed', 'Denied'];

function named(noun: string, ...places: readonly PathPattern[]): readonly NameReference[] {
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
