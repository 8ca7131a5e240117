import type { ChartNode } from '@dramaturg/compiler/chart';
import type { ProblemKind } from '@dramaturg/compiler/format';
import type { BehaviourPart } from '../behaviour/part.ts';
import type { StateWays } from '../check/flow/language-flow.ts';
import type { StateRule } from '../check/rule.ts';
import type { Dialect, StateBase } from '../definition/index.ts';
import type { StateDefinition } from '../definition/machine.ts';
import type { NodeContext } from '../lower/nodes.ts';
import type { Part } from '../authored.ts';
import type { Reading } from '../normalise/state.ts';
import type { StateTester } from '../test-state/tester.ts';

/**
 * All that the compiler and a run know of a state type, a part for each phase.
 *
 * @typeParam Slice the slice of a state's program for its expressions
 */
export interface Kind<
  State extends StateBase & { readonly Type: string },
  Slice extends object = object,
> {
  /** The fields, and what the language says of them. */
  readonly definition: StateDefinition<State>;
  /** Reads an authored state and fills in the defaults. */
  read(base: StateBase, placed: Part, reading: Reading): State;
  /** The rules of meaning for a state of the type. */
  readonly rules: readonly StateRule<State>[];
  /** The problems that only these rules report. */
  readonly problems?: readonly ProblemKind[];
  /** The data on the ways through a state, as far as known before a run; left out, its result may be anything. */
  readonly ways?: StateWays<State>;
  /** Lowers a state to a node of the chart. */
  node(state: State, id: string, context: NodeContext): ChartNode;
  /** Compiles the expressions that only this type has. */
  compile?(state: State, dialect: Dialect): Slice;
  /** The functions that the node refers to. */
  readonly behaviour: BehaviourPart;
  /** Runs a state by itself, for `testState`. */
  readonly test: StateTester<Slice>;
}
