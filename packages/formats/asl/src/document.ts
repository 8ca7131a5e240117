import * as z from 'zod';
import { alert, fallback, fallbackStep, workflowBudget } from './definition/budget.ts';
import { circuitBreaker } from './definition/circuit-breaker.ts';
import { agentOnly, block, chosenBy, constantSeconds, flag, text } from './definition/field.ts';
import { workflowMemory } from './definition/memory.ts';
import { workflowProgress } from './definition/progress.ts';
import { common } from './definition/state.ts';
import { missingPaths } from './definition/workflow.ts';
import { type Blocks, fieldsIn, type UnenforcedFields } from './definition/blocks.ts';
import { toolBlocks, tools, unenforcedToolFields } from './definition/tools.ts';
import { definitionOf, isStateType, stateTypes } from './kinds.ts';

/** The schema of a whole document, put together from the definitions of the state kinds. */

const untyped = z.object({ Type: text, ...common });

/** Each state is judged by the schema of its type; a rule reports a type that does not exist. */
const states = z.record(
  z.string(),
  chosenBy(({ Type: type }) => stateSchema(type) ?? untyped),
);

/** A branch of a Parallel, or what a Map runs for an item. Agent 2, Amazon #parallel-state */
const machine = z.object({
  Comment: text.optional(),
  /** The first state. Agent 1, Amazon #toplevelfields */
  StartAt: text,
  /** Agent 1, Amazon #toplevelfields */
  States: states,
});

/** Machines in a state, by the fields that hold them: what messages call each, and its schema. */
export const nestedMachines: Blocks = Object.fromEntries(
  stateTypes.flatMap((type) =>
    Object.entries(definitionOf(type).machineFields ?? {}).map(
      ([field, { owner, ownFields }]): [string, Blocks[string]] => [
        field,
        [owner, machine.extend(ownFields)],
      ],
    ),
  ),
);

const stateSchemas = new Map<string, z.ZodObject>(
  stateTypes.map((type) => {
    const { schema, machineFields = {} } = definitionOf(type);
    const fields = Object.entries(machineFields).map(([field, { schemaOf }]) => [
      field,
      schemaOf(nestedMachines[field]![1]),
    ]);
    return [type, fields.length > 0 ? schema.extend(Object.fromEntries(fields)) : schema];
  }),
);

/** The schema of a state type; undefined when there is no such type. */
export function stateSchema(type: unknown): z.ZodObject | undefined {
  return isStateType(type) ? stateSchemas.get(type) : undefined;
}

/** A parameter of a template. Agent 10 §Templates */
const parameter = z.object({
  Type: z.enum(['string', 'boolean', 'number', 'integer', 'array', 'object']).optional(),
  Description: text.optional(),
  Required: flag.optional(),
  Default: z.unknown().optional(),
  Enum: z.array(z.unknown()).optional(),
  Min: z.number().optional(),
  Max: z.number().optional(),
});

/** The workflow document. Spec: Agent 1, Amazon #toplevelfields */
export const workflow = machine.extend({
  /** The version of the language, or of the workflow. Agent 1, Amazon #toplevelfields */
  Version: text.optional(),
  /** What the states speak that do not say. Amazon #query-language */
  QueryLanguage: z.enum(['JSONPath', 'JSONata']).optional(),
  /** How long the whole may take. Amazon #toplevelfields */
  TimeoutSeconds: constantSeconds.optional(),
  /** Agent 7 §Workflow budget */
  Budget: agentOnly(workflowBudget),
  /** The JSON Schema of the language has it, and no chapter. */
  Checkpointing: agentOnly(block),
  /** Templates by the name under which states include them. Agent 10 §Imports */
  Imports: agentOnly(z.record(z.string(), text)),
  /** `Tools` of every Task. Agent 4 §Default tools */
  DefaultTools: agentOnly(tools),
  /** Agent 4 §Categories */
  ToolCategories: agentOnly(z.record(z.string(), z.array(text))),
  /** Agent 3 §Backends */
  Memory: agentOnly(workflowMemory),
  /** Agent 9 */
  Progress: agentOnly(workflowProgress),
  Events: agentOnly(block),
  RealTime: agentOnly(block),
  /** Shown once each, in no chapter. */
  Observability: agentOnly(block),
  /** Any fields; `MissingPaths` is the value of paths that lead to nothing. */
  Metadata: agentOnly(z.looseObject({ MissingPaths: missingPaths.optional() })),
  /** Tutorial 11 §Circuit breaker */
  CircuitBreaker: agentOnly(circuitBreaker),
  /** What a template is included with. Agent 10 §Templates */
  Parameters: agentOnly(z.record(z.string(), parameter)),
  /** Whether this only lends states to others. Agent 10 §Modules */
  Module: agentOnly(flag),
  /** Agent 10 §Modules */
  Exports: agentOnly(z.unknown()),
  /** What imports were resolved to. Agent 10 §Versions */
  _lock: agentOnly(block),
});

/** A module lends its states, and has no first one. Agent 10 §Modules */
const moduleFile = workflow.extend({ StartAt: text.optional() });

/** The shape a value is meant to have. Which fields there are is a rule's business: it depends on the dialect. */
export function shapeOf(): z.ZodType {
  return chosenBy((value) => (value['Module'] === true ? moduleFile : workflow));
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
