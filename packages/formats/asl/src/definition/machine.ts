import type { Json, Path } from '@dramaturg/compiler';
import { unknownDefinitionsOption } from '@dramaturg/compiler/shapes';
import * as z from 'zod/mini';
import type { StateBudget, WorkflowBudget } from './budget.ts';
import type { ChoiceRule } from './choice-rule.ts';
import { type Blocks, optional, type UnenforcedFields } from './field.ts';
import type { HasInput, HasNext, HasRecovery, StateBase } from './state.ts';
import type { Memory, Reasoning } from './task-blocks.ts';
import type { Tools } from './tools.ts';

/** A machine in one spelling: the workflow, a branch of a Parallel, or the machine for an item of a Map. */
export interface Machine {
  /** Empty when left out or not a string. */
  readonly StartAt: string;
  /** In the order in which they are written. */
  readonly States: readonly State[];
  readonly at: Path;
  readonly authored: Readonly<Record<string, unknown>>;
}

/** A state of any type, with the fields that code for several types reads. `kinds.ts` knows each type's own fields. */
export interface State
  extends StateBase, Partial<HasNext>, Partial<HasInput>, Partial<HasRecovery> {
  readonly Type: string;
  readonly ResultPath?: string | null | undefined;
  readonly ResultSelector?: Json | undefined;
  readonly Choices?: readonly ChoiceRule[];
  readonly Budget?: StateBudget | undefined;
  readonly Memory?: Memory | undefined;
  readonly Reasoning?: Reasoning | undefined;
  readonly Tools?: Tools | undefined;
}

/** The definition of a state type in the language. */
export interface StateDefinition<Own extends StateBase> {
  /** The fields, without those that hold machines. */
  readonly schema: z.ZodMiniObject;
  /** Whether Amazon States Language lacks the type. */
  readonly isAgentOnly?: true;
  /** Fields that hold machines, such as `Branches`. */
  readonly machineFields?: Readonly<Record<string, MachineField>>;
  /** The machines in these fields. */
  machinesOf?(this: void, state: Own): readonly Machine[];
  /** Blocks whose fields are checked, by their paths: `ItemReader.ReaderConfig`, `Guardrails.Input.Rules.[]`. */
  readonly blocks?: Blocks;
  /** Paths of fields that hold a duration, such as `24h`. */
  readonly durations?: readonly string[];
  /** Paths of fields that have no effect yet. */
  readonly inertFields?: readonly string[];
  /** Paths of fields that should limit or protect something and do not, with the reason. */
  readonly unenforcedFields?: UnenforcedFields;
}

/** A field that holds a machine or a list of them. */
export interface MachineField {
  /** The name of such a machine in messages: `A branch`. */
  readonly owner: string;
  /** Fields that such a machine has in addition to those of every machine. */
  readonly ownFields: z.core.$ZodShape;
  /** The schema of the field. */
  readonly schemaOf: (machine: z.ZodMiniObject) => z.ZodMiniType;
}

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
