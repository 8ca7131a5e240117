import type { z } from 'zod/mini';
import type { Blocks, UnenforcedFields } from './blocks.ts';
import type { Machine } from './machine.ts';
import type { StateBase } from './state.ts';

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
