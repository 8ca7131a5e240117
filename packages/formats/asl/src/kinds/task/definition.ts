import * as z from 'zod/mini';
import type { Part } from '../../authored.ts';
import {
  audit,
  cache,
  contextWindow,
  generation,
  guardrailRule,
  guardrails,
  guardrailSide,
  idempotencyFields,
  memory,
  memoryRead,
  memoryWrite,
  model,
  readAudit,
  readCache,
  readContextWindow,
  readGeneration,
  readGuardrails,
  readIdempotency,
  readMemory,
  readModel,
  readStreaming,
  type Reasoning,
  reasoning,
  streaming,
  streamingCallbacks,
  summary,
} from '../../definition/task-blocks.ts';
import { readStateBudget, stateBudget } from '../../definition/budget.ts';
import {
  agentOnly,
  block,
  fieldsIn,
  flag,
  optional,
  pathOnly,
  seconds,
  text,
} from '../../definition/field.ts';
import type { StateDefinition } from '../../definition/machine.ts';
import { type StateBase, stateObject, workFields } from '../../definition/state.ts';
import { readTools, toolBlocks, tools, unenforcedToolFields } from '../../definition/tools.ts';
import {
  isNumber,
  optionalNumber,
  optionalObject,
  optionalString,
  readValueSource,
} from '../../normalise/fields.ts';
import { type Reading, readInput, readOutcome } from '../../normalise/state.ts';

/** Spec: Agent 2 §Task State, Amazon #task-state */
const task = stateObject(workFields, {
  /** Agent 2 §Task State */
  Agent: agentOnly(text, 'Name of the registered agent that does the work.'),
  /** Amazon #task-state */
  Resource: optional(
    z.union([text, block]),
    'The resource that does the work, a URI; CloudFormation writes a reference.',
  ),
  /** Amazon #task-state */
  Credentials: optional(block, 'The role under which the work is done.'),
  /** Agent 2 §Task State, Amazon #timeouts */
  TimeoutSeconds: optional(seconds, 'How long the work may take.'),
  /** Amazon #timeouts */
  TimeoutSecondsPath: pathOnly(text, 'Where the value of `TimeoutSeconds` is.'),
  /** Agent 2 §Task State, Amazon #timeouts */
  HeartbeatSeconds: optional(seconds, 'The longest time between two heartbeats.'),
  /** Amazon #timeouts */
  HeartbeatSecondsPath: pathOnly(text, 'Where the value of `HeartbeatSeconds` is.'),
  /** Agent 2 §Agent-Specific Fields, Agent 3 */
  Memory: agentOnly(memory, 'What the agent reads from memory and writes to it.'),
  /** Agent 2 §Agent-Specific Fields, Agent 3 */
  Context: agentOnly(contextWindow, 'What the agent receives of long data.'),
  /** Agent 2 §Agent-Specific Fields, Agent 4 */
  Tools: agentOnly(tools, 'The tools of the agent.'),
  /** Agent 2 §Agent-Specific Fields, Agent 7 */
  Budget: agentOnly(stateBudget, 'Limits on what the state uses.'),
  /** Agent 2 §Agent-Specific Fields, Agent 5 */
  Guardrails: agentOnly(guardrails, 'Rules for what the agent receives and answers.'),
  /** Agent 2 §Agent-Specific Fields, Agent 5 */
  Reasoning: agentOnly(reasoning, 'Whether and how the agent gives its reasons.'),
  /** Agent 5 §Audit */
  Audit: agentOnly(audit, 'What the record of the state shows.'),
  /** Agent 7 §Cache */
  Cache: agentOnly(cache, 'Reuses earlier answers of the agent.'),
  /** Agent 6 §Feedback */
  Feedback: agentOnly(block, 'Has no effect yet.'),
  /** Agent 9 §Streaming */
  Streaming: agentOnly(streaming, 'How the agent streams its answer.'),
  /** Agent 7 §Models */
  Model: agentOnly(model, 'Which models the agent uses.'),
  Generation: agentOnly(generation, 'Settings of the model.'),
  ...idempotencyFields,
  CacheResult: agentOnly(flag, 'Whether the answer is cached.'),
  CacheTTL: agentOnly(text, 'How long a cached answer is valid, such as `7d`.'),
});

export type Task = ReturnType<typeof readTask>;

/** The slice of the visit that a Task owns. */
export interface TaskVisit {
  /** Completes the task. */
  readonly token: string;
  /** When the task got its token, milliseconds since 1970 UTC. */
  readonly tokenSince: number;
  /** Milliseconds without a heartbeat after which the task times out. */
  readonly heartbeat: number;
  /** The definition's own key for the call, the same for every attempt. */
  readonly idempotencyKey: string;
  /** The agent runs with its fallback model. */
  readonly fallsBack: true;
}

/** How a task is completed. Amazon #task-state, AWS "Service integration patterns" */
type Completion =
  /** The call answers. */
  | 'answer'
  /** The call passes a token on; the holder of the token completes the task. */
  | 'token'
  /** There is no call: a worker takes the task and completes it with its token. */
  | 'activity';

/** Whether a task has a token: to be completed from outside, to send heartbeats, or to show it. */
export function hasToken(state: Task): boolean {
  return showsToken(state) || state.HeartbeatSeconds !== undefined;
}

/**
 * Whether the context object shows the token of a task: a service that AWS waits for has one too, although AWS completes
 * the task. AWS "Service integration patterns"
 */
export function showsToken(state: Task): boolean {
  return completionOf(state) !== 'answer' || /\.sync(?::2)?$/.test(state.Resource ?? '');
}

export function completionOf({ Resource: resource }: Task): Completion {
  if (resource === undefined) return 'answer';
  if (resource.endsWith('.waitForTaskToken')) return 'token';
  return /^arn:[^:]*:states:[^:]*:[^:]*:activity:/.test(resource) ? 'activity' : 'answer';
}

export const taskDefinition: StateDefinition<Task> = {
  schema: task,
  blocks: {
    Budget: ['The budget of a state', stateBudget],
    ...toolBlocks('Tools'),
    Memory: ['The memory of a state', memory],
    'Memory.Read': ['A read of memory', memoryRead],
    'Memory.Write': ['A write of memory', memoryWrite],
    'Memory.Write.[]': ['A write of memory', memoryWrite],
    Context: ['The context of a state', contextWindow],
    'Context.Summarize': ['The summary of a context', summary],
    Cache: ['The cache of a state', cache],
    Reasoning: ['The reasoning of a state', reasoning],
    Model: ['The model of a state', model],
    Generation: ['The generation of a state', generation],
    Streaming: ['The streaming of a state', streaming],
    'Streaming.Callbacks': ['The callbacks of streaming', streamingCallbacks],
    Guardrails: ['The guardrails of a state', guardrails],
    Audit: ['The audit of a state', audit],
    'Guardrails.Input': ['The input of guardrails', guardrailSide],
    'Guardrails.Input.Rules.[]': ['A guardrail', guardrailRule],
    'Guardrails.Output': ['The output of guardrails', guardrailSide],
    'Guardrails.Output.Rules.[]': ['A guardrail', guardrailRule],
  },
  durations: ['CacheTTL'],
  inertFields: [
    'Budget.Priority',
    'Budget.Tags',
    'Budget.Attribution',
    'Feedback',
    'Audit.Trace',
    'Streaming.Buffer',
    'Streaming.ProgressPath',
    'Streaming.Milestones',
    'Credentials',
  ],
  unenforcedFields: fieldsIn('Tools', unenforcedToolFields),
};

export function readTask(base: StateBase, authored: Part, reading: Reading) {
  const { value: fields } = authored;
  const amount = (name: string) => readValueSource(authored, name, isNumber, base.QueryLanguage);
  return {
    ...base,
    ...readInput(authored),
    ...readOutcome(authored, reading),
    Type: 'Task' as const,
    /** Name of the agent; undefined when a resource does the work. */
    Agent: optionalString(fields['Agent']),
    /** The resource that does the work in Amazon's dialect; a CloudFormation reference has the name of its target. */
    Resource: readResource(fields['Resource']),
    Credentials: optionalObject(fields['Credentials']),
    TimeoutSeconds: amount('TimeoutSeconds'),
    HeartbeatSeconds: amount('HeartbeatSeconds'),
    Guardrails: readGuardrails(authored, reading),
    Memory: readMemory(authored, reading),
    Context: readContextWindow(authored, reading),
    Model: readModel(authored),
    Generation: readGeneration(authored),
    Streaming: readStreaming(authored),
    Idempotency: readIdempotency(authored),
    Cache: readCache(authored),
    Reasoning: readReasoning(fields['Reasoning']),
    Tools: readTools(authored, reading),
    Budget: readStateBudget(fields['Budget']),
    Audit: readAudit(authored, reading),
  };
}

/**
 * CloudFormation writes `{ "Ref": "Worker" }` or `{ "Fn::GetAtt": ["Worker", "Arn"] }` for a resource that it knows by
 * name.
 */
function readResource(written: unknown): string | undefined {
  const reference = optionalObject(written);
  if (!reference) return optionalString(written);
  const names = Object.values(reference).flat(2);
  return names.filter((name) => typeof name === 'string').join('.');
}

function readReasoning(written: unknown): Reasoning | undefined {
  const fields = optionalObject(written);
  return (
    fields && {
      required: fields['Required'] === true,
      format: (optionalString(fields['Format']) as Reasoning['format'] | undefined) ?? 'free_form',
      minSteps: optionalNumber(fields['MinSteps']),
      maxSteps: optionalNumber(fields['MaxSteps']),
      store: optionalString(fields['Store']),
    }
  );
}
