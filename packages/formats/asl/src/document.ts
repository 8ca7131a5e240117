import { isRecord } from '@dramaturg/compiler';
import type { Recognition } from '@dramaturg/compiler/format';
import * as z from 'zod/mini';
import { alert, fallback, fallbackStep, workflowBudget } from './definition/budget.ts';
import {
  agentOnly,
  block,
  type Blocks,
  chosenBy,
  constantSeconds,
  described,
  fieldsIn,
  flag,
  optional,
  positiveCount,
  text,
  type UnenforcedFields,
} from './definition/field.ts';
import { missingPaths } from './definition/machine.ts';
import { common, workflowProgress } from './definition/state.ts';
import { workflowMemory } from './definition/task-blocks.ts';
import { toolBlocks, tools, unenforcedToolFields } from './definition/tools.ts';
import { definitionOf, isStateType, stateTypes } from './kinds.ts';

/** Whether a value is an object of states by name, without a workflow around them. */
export function isBareStates(value: unknown): value is Record<string, Record<string, unknown>> {
  const states = isRecord(value) ? Object.values(value) : [];
  return (
    states.length > 0 && states.every((state) => isRecord(state) && isStateType(state['Type']))
  );
}

/** Recognises a workflow by its shape: named states, with "StartAt" or the types of states. */
export function recognise(value: unknown): Recognition {
  if (isBareStates(value)) return { matches: true, signs: ['the "Type" of its states'] };
  const states = isRecord(value) ? value['States'] : undefined;
  if (!isRecord(value) || !isRecord(states)) {
    return { matches: false, because: 'it has no object of "States"' };
  }
  const signs: string[] = [];
  if (Object.hasOwn(value, 'StartAt')) signs.push('"StartAt"');
  const isTyped = Object.values(states).some(
    (state) => isRecord(state) && isStateType(state['Type']),
  );
  if (isTyped) signs.push('the "Type" of its states');
  return signs.length > 0
    ? { matches: true, signs }
    : { matches: false, because: 'it has no "StartAt", and none of its states has a "Type"' };
}

/** Tutorial 11 §Circuit breaker */
const circuitBreaker = z.object({
  Enabled: optional(flag, 'Whether the circuit breaker applies.'),
  FailureThreshold: optional(
    positiveCount,
    'How many failures in a row open the circuit; 5 when left out.',
  ),
  SuccessThreshold: optional(positiveCount, 'How many successes close it again; 1 when left out.'),
  Timeout: optional(text, 'How long no call is made, such as `30s`, the default.'),
});

/** The schema of a whole document, put together from the definitions of the state kinds. */

const untyped = z.object({ Type: text, ...common });

/** Each state is checked by the schema of its type; a rule reports a type that does not exist. */
const state = chosenBy(({ Type: type }) => stateSchema(type) ?? untyped, {
  name: 'State',
  list: () => [
    ...stateTypes.map((type) => ({
      when: { required: ['Type'], properties: { Type: { const: type } } },
      shape: z.extend(stateSchema(type)!, { Type: typeOfState }),
    })),
    { shape: z.object({ Type: typeOfState }) },
  ],
});

const typeOfState = described(
  z.enum(stateTypes as [string, ...string[]]),
  'The type of the state.',
);

const states = z.record(z.string(), state);

/** A branch of a Parallel, or the machine for an item of a Map. Agent 2, Amazon #parallel-state */
const machine = z.object({
  Comment: optional(text, 'What people should know of the machine.'),
  /** Agent 1, Amazon #toplevelfields */
  StartAt: described(text, 'The first state.'),
  /** Agent 1, Amazon #toplevelfields */
  States: described(states, 'The states by their names.'),
});

/** The machines in a state, by field: their name in messages, and their schema. */
export const nestedMachines: Blocks = Object.fromEntries(
  stateTypes.flatMap((type) =>
    Object.entries(definitionOf(type).machineFields ?? {}).map(
      ([field, { owner, ownFields }]): [string, Blocks[string]] => [
        field,
        [owner, z.extend(machine, ownFields)],
      ],
    ),
  ),
);

const stateSchemas = new Map<string, z.ZodMiniObject>(
  stateTypes.map((type) => {
    const { schema, machineFields = {} } = definitionOf(type);
    const fields = Object.entries(machineFields).map(([field, { schemaOf }]) => [
      field,
      schemaOf(nestedMachines[field]![1]),
    ]);
    return [type, fields.length > 0 ? z.extend(schema, Object.fromEntries(fields)) : schema];
  }),
);

/** The schema of a state type; undefined when there is no such type. */
export function stateSchema(type: unknown): z.ZodMiniObject | undefined {
  return isStateType(type) ? stateSchemas.get(type) : undefined;
}

/** A parameter of a template. Agent 10 §Templates */
const parameter = z.object({
  Type: optional(
    z.enum(['string', 'boolean', 'number', 'integer', 'array', 'object']),
    'The type of the value.',
  ),
  Description: optional(text, 'What the parameter is.'),
  Required: optional(flag, 'Whether a value is needed.'),
  Default: optional(z.unknown(), 'The value when none is given.'),
  Enum: optional(z.array(z.unknown()), 'The possible values.'),
  Min: optional(z.number(), 'The smallest number.'),
  Max: optional(z.number(), 'The largest number.'),
});

/** The workflow document. Spec: Agent 1, Amazon #toplevelfields */
export const workflow = z.extend(machine, {
  /** Agent 1, Amazon #toplevelfields */
  Version: optional(text, 'The version of the language, or of the workflow.'),
  /** Amazon #query-language */
  QueryLanguage: optional(
    z.enum(['JSONPath', 'JSONata']),
    'What the states speak that do not say.',
  ),
  /** Amazon #toplevelfields */
  TimeoutSeconds: optional(constantSeconds, 'How long the whole may take.'),
  /** Agent 7 §Workflow budget */
  Budget: agentOnly(workflowBudget, 'Limits on what a run uses.'),
  Checkpointing: agentOnly(block, 'The JSON Schema of the language has it, and no chapter.'),
  /** Agent 10 §Imports */
  Imports: agentOnly(
    z.record(z.string(), text),
    'Templates by the name under which states include them.',
  ),
  /** Agent 4 §Default tools */
  DefaultTools: agentOnly(tools, '`Tools` of every Task.'),
  /** Agent 4 §Categories */
  ToolCategories: agentOnly(z.record(z.string(), z.array(text)), 'Names for groups of tools.'),
  /** Agent 3 §Backends */
  Memory: agentOnly(workflowMemory, 'The memory of the workflow.'),
  /** Agent 9 */
  Progress: agentOnly(workflowProgress, 'Reports of progress.'),
  Events: agentOnly(block, 'Has no effect yet.'),
  RealTime: agentOnly(block, 'Has no effect yet.'),
  Observability: agentOnly(block, 'Shown once each, in no chapter.'),
  Metadata: agentOnly(
    z.looseObject({
      MissingPaths: optional(missingPaths, 'The value of paths that lead to nothing.'),
    }),
    'Any fields; `MissingPaths` is the value of paths that lead to nothing.',
  ),
  /** Tutorial 11 §Circuit breaker */
  CircuitBreaker: agentOnly(circuitBreaker, 'Stops calls of an agent that keeps failing.'),
  /** Agent 10 §Templates */
  Parameters: agentOnly(z.record(z.string(), parameter), 'What a template is included with.'),
  /** Agent 10 §Modules */
  Module: agentOnly(flag, 'Whether this only lends states to others.'),
  /** Agent 10 §Modules */
  Exports: agentOnly(z.unknown(), 'The states that a module lends.'),
  /** Agent 10 §Versions */
  _lock: agentOnly(block, 'What imports were resolved to.'),
});

/** A module lends its states, and has no first state. Agent 10 §Modules */
const moduleFile = z.extend(workflow, { StartAt: z.optional(text) });

const shapeFor = (value: Record<string, unknown>) => {
  if (isBareStates(value)) return states;
  return value['Module'] === true ? moduleFile : workflow;
};

const documentShape = chosenBy(shapeFor, {
  list: () => [
    {
      when: { required: ['Module'], properties: { Module: { const: true } } },
      shape: moduleFile,
    },
    { shape: workflow },
  ],
});

/** The shape of a document. A rule checks which fields exist, because that depends on the dialect. */
export function shapeOf(): z.ZodMiniType {
  return documentShape;
}

/** Blocks of a workflow whose fields are checked. */
export const workflowBlocks: Blocks = {
  Budget: ['The budget of a workflow', workflowBudget],
  'Budget.Fallback': ['A fallback of a budget', fallback],
  'Budget.Fallback.Cascade.[]': ['A step of a cascade', fallbackStep],
  'Budget.Alerts.[]': ['An alert of a budget', alert],
  ...toolBlocks('DefaultTools'),
  CircuitBreaker: ['The circuit breaker of a workflow', circuitBreaker],
  Memory: ['The memory of a workflow', workflowMemory],
  Progress: ['The progress of a workflow', workflowProgress],
};

/** Fields of a workflow that have no effect yet, by their paths. */
export const inertWorkflowFields: readonly string[] = [
  'Budget.Notify',
  'Budget.ReleaseOnComplete',
  'Checkpointing',
  'Memory.Backend',
  'Memory.Connection',
  'Events',
  'RealTime',
  'Observability',
];

/** Fields of `Metadata` of a workflow that have an effect. */
export const metadataFields: readonly string[] = ['MissingPaths'];

/** Fields of a workflow that should limit or protect something and do not, with the reason. */
export const unenforcedWorkflowFields: UnenforcedFields = fieldsIn(
  'DefaultTools',
  unenforcedToolFields,
);
