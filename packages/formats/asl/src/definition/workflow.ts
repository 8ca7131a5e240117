import type { Path, Problem } from '@dramaturg/compiler';
import { z } from 'zod';
import { agentOnly, block, chosenBy, flag, seconds, text } from './field.ts';
import { type Machine, machineFields } from './machine.ts';
import { type WorkflowBudget, workflowBudget } from './budget.ts';
import { workflowMemory } from './memory.ts';
import { workflowProgress } from './progress.ts';
import { tools } from './tools.ts';

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
export const workflow = z.object({
  ...machineFields,
  /** The version of the language, or of the workflow. Agent 1, Amazon #toplevelfields */
  Version: text.optional(),
  /** What the states speak that do not say. Amazon #query-language */
  QueryLanguage: z.enum(['JSONPath', 'JSONata']).optional(),
  /** How long the whole may take. Amazon #toplevelfields */
  TimeoutSeconds: seconds.optional(),
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
  Metadata: agentOnly(block),
  CircuitBreaker: agentOnly(block),
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

/** Whose words count where the two languages differ. */
export type Dialect = 'amazon' | 'agent';

/** How a workflow is compiled. */
export const workflowOptions = z.strictObject({
  /** Left out, it follows from the definition: agents and what only their workflows have, or not. */
  dialect: z.enum(['amazon', 'agent']).optional(),
  /** Which of Amazon's two kinds of workflows it is: an express one cannot wait for what it has started. */
  kind: z.enum(['standard', 'express']).default('standard'),
  /**
   * What `Imports` lead to: the contents of files, by their paths from the folder of the workflow, and of other sources by what
   * is written. Left out, a template is run by an agent of its name.
   */
  imports: z.record(z.string(), z.unknown()).optional(),
  /**
   * Places where the name of an agent means a definition that is not there, as whoever knows the definitions has found. With
   * `meant`, the kind before the colon is misspelt.
   */
  unknownDefinitions: z
    .array(
      z.strictObject({
        path: z.array(z.union([z.string(), z.int()])),
        name: z.string(),
        meant: z.string().optional(),
      }),
    )
    .optional(),
});

export type WorkflowOptions = z.infer<typeof workflowOptions>;

/** A finding made while bringing a workflow into one spelling. */
export interface Finding {
  readonly problem: Problem;
  readonly path: Path;
}

/** A workflow in one spelling, all defaults filled in. `at` is where a part stands in the definition as authored. */
export interface Workflow extends Machine {
  readonly dialect: Dialect;
  /** Its own words are what the workflow is called: the language has no name for it. */
  readonly Comment: string;
  readonly Version: string;
  readonly TimeoutSeconds: number | undefined;
  readonly Budget: WorkflowBudget | undefined;
  /** Names of the categories of tools. */
  readonly ToolCategories: readonly string[];
  /** Has parameters, so texts may have holes that are filled when it is included; or lends its states only. */
  readonly isTemplate: boolean;
  /** Names of the templates that states may include. */
  readonly Imports: readonly string[];
  readonly findings: readonly Finding[];
}
