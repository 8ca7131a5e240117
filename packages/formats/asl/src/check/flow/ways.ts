import type { HasNext, Machine, State, StateBase } from '../../definition/index.ts';
import { type LanguageFlow, languageFlow, type Passed } from './language-flow.ts';
import { conditional, type Sight } from './sight.ts';
import type { ValueSet } from './value-set.ts';

/** A state and the data that can be there. */
export interface Visit<Visited extends StateBase> {
  readonly state: Visited;
  readonly sight: Sight;
  readonly flow: LanguageFlow;
}

/** Where a state leads, and with which data. */
export interface Ways {
  readonly exits: readonly Exit[];
  /** The machines that it runs. */
  readonly machines?: readonly MachineStart[];
}

/** A way out of a state; without a target, the end of the machine. */
interface Exit {
  readonly target?: string;
  readonly passed: Passed;
}

interface MachineStart {
  readonly machine: Machine;
  readonly passed: Passed;
}

/** The ways through the states of a type, as far as known before a run. */
export interface StateWays<Visited extends StateBase> {
  /** The ways that leave a state; if it runs machines, the ways into them and of its errors. */
  readonly enter: (visit: Visit<Visited>) => Ways;
  /** The ways that leave a state once its machines have ended. */
  readonly leave?: (visit: Visit<Visited>, outputs: readonly (ValueSet | undefined)[]) => Ways;
}

/** The way to the next state, or to the end. */
export function onwards(
  { Next: next, End: end }: Partial<HasNext>,
  passed: Passed,
): readonly Exit[] {
  return next === undefined || end === true ? [{ passed }] : [{ target: next, passed }];
}

/** The ways to the states that deal with errors. */
export function recoveries({ sight }: Visit<StateBase>): readonly Exit[] {
  const catchers = (sight.state as Partial<State>).Catch ?? [];
  const flow = languageFlow(conditional(sight));
  return catchers.map((catcher) => ({ target: catcher.Next, passed: flow.caught(catcher) }));
}

/** The ways of a state whose work gives some result. */
export function worked(visit: Visit<StateBase & Partial<HasNext>>, result: ValueSet): Ways {
  return { exits: [...onwards(visit.state, visit.flow.finish(result)), ...recoveries(visit)] };
}
