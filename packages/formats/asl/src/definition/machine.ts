import type { Json, Path } from '@dramaturg/compiler';
import type { StateBudget } from './budget.ts';
import type { ChoiceRule } from './choice-rule.ts';
import type { Memory } from './memory.ts';
import type { Reasoning } from './reasoning.ts';
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
