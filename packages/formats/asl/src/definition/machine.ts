import type { Json, Path } from '@dramaturg/compiler';
import type * as z from 'zod/mini';
import type { StateBudget } from './budget.ts';
import type { ChoiceRule } from './choice-rule.ts';
import type { Blocks, UnenforcedFields } from './field.ts';
import type { Memory, Reasoning } from './task-blocks.ts';
import type { HasRecovery } from './retry.ts';
import type { HasInput, HasNext, StateBase } from './state.ts';
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
export interface StateDefinition<State extends StateBase> {
  /** The fields, without those that hold machines. */
  readonly schema: z.ZodMiniObject;
  /** Whether Amazon States Language lacks the type. */
  readonly isAgentOnly?: true;
  /** Fields that hold machines, such as `Branches`. */
  readonly machineFields?: Readonly<Record<string, MachineField>>;
  /** The machines in these fields. */
  machinesOf?(this: void, state: State): readonly Machine[];
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
