import { optional } from './field.ts';
import { unknownDefinitionsOption } from '@dramaturg/compiler/shapes';
import * as z from 'zod/mini';
import type { WorkflowBudget } from './budget.ts';
import type { Machine } from './machine.ts';

/** The language whose rules apply where the two differ. */
export type Dialect = 'amazon' | 'agent';

/**
 * The value of a JSONPath that leads to nothing: none, so that the state fails, or null. Only workflows of agents may
 * have null. Spec: docs/formats/asl.md#missing-paths
 */
export const missingPaths = z.enum(['fail', 'null']);

export type MissingPaths = z.infer<typeof missingPaths>;

/** How a workflow is compiled. */
export const workflowOptions = z.strictObject({
  dialect: optional(
    z.enum(['amazon', 'agent']),
    'Left out, it follows from the definition: agents and what only their workflows have, or not.',
  ),
  kind: z
    ._default(z.enum(['standard', 'express']), 'standard')
    .check(
      z.describe(
        "Which of Amazon's two kinds of workflows it is: an express one cannot wait for what it has started.",
      ),
    ),
  missing: optional(
    z.pipe(
      z.transform((value) => (value === null ? 'null' : value)),
      missingPaths,
    ),
    'Replaces `Metadata.MissingPaths`. JSON null is the same as its name.',
  ),
  judge: optional(
    z.boolean(),
    'A model will be there at run time: guardrails that it has to judge are no warnings.',
  ),
  /**
   * The contents of the `Imports`: files by their paths from the folder of the workflow, other sources as they are written.
   * Left out, an agent with the name of the template runs it.
   */
  imports: z.optional(z.record(z.string(), z.unknown())),
  unknownDefinitions: unknownDefinitionsOption,
});

export type WorkflowOptions = z.infer<typeof workflowOptions>;

/** A workflow in one spelling, all defaults filled in. `at` is the path of a part in the definition as authored. */
export interface Workflow extends Machine {
  readonly dialect: Dialect;
  readonly missing: MissingPaths;
  /** The title of the workflow: the language has no field for a name. */
  readonly Comment: string;
  readonly Version: string;
  readonly TimeoutSeconds: number | undefined;
  readonly Budget: WorkflowBudget | undefined;
  /** Names of the categories of tools. */
  readonly ToolCategories: readonly string[];
  /** Whether it has parameters, so that strings may have holes that are filled when it is included; or is a module. */
  readonly isTemplate: boolean;
  /** Whether there are only states, and no workflow around them. */
  readonly isBare: boolean;
  /** Names of the templates that states may include. */
  readonly Imports: readonly string[];
}
