import { isRecord, type Path } from '@dramaturg/compiler';
import { connectives } from './definition/choice.ts';
import type { Machine, State, Workflow } from './definition/index.ts';

/** An authored object and where it stands. */
export interface Part {
  readonly value: Readonly<Record<string, unknown>>;
  readonly at: Path;
}

/** A workflow and all machines within it, each before those in its states. */
export function machinesOf(workflow: Machine): readonly Machine[] {
  const machines = [workflow];
  for (const { States: states } of machines) {
    for (const state of states) {
      if (state.Type === 'Parallel') for (const branch of state.Branches) machines.push(branch);
      else if (state.Type === 'Map' && state.ItemProcessor) machines.push(state.ItemProcessor);
    }
  }
  return machines;
}

/** Every state of a workflow, those of branches and iterators too. */
export function statesOf(workflow: Workflow): readonly State[] {
  return machinesOf(workflow).flatMap(({ States: states }) => states);
}

export function partOf({ value, at }: Part, field: string): Part | undefined {
  const part = value[field];
  return isRecord(part) ? { value: part, at: [...at, field] } : undefined;
}

/** The objects of an authored list. Reading reports a list that is too long, and no one reads on. */
export function partsOf({ value, at }: Part, field: string): readonly Part[] {
  const list = value[field];
  if (!Array.isArray(list)) return [];
  return list
    .slice(0, longestList)
    .flatMap((item: unknown, index) =>
      isRecord(item) ? [{ value: item, at: [...at, field, index] }] : [],
    );
}

const longestList = 1_000;

export function authoredPart({ authored, at }: Pick<State, 'authored' | 'at'>): Part {
  return { value: authored, at };
}

/** A choice rule and every condition within it, in the order in which they are written. */
export function conditionsOf(rule: Part): readonly Part[] {
  const conditions = [rule];
  for (const condition of conditions) {
    for (const connective of connectives) {
      const one = partOf(condition, connective);
      if (one) conditions.push(one);
      for (const child of partsOf(condition, connective)) conditions.push(child);
    }
  }
  return conditions;
}

/** Where a state leads, as its fields say, whatever its type allows. */
export function targetsOf(state: State): readonly { target: string; path: Path }[] {
  const part = authoredPart(state);
  const named = ({ value, at }: Part, field: string) =>
    typeof value[field] === 'string' ? [{ target: value[field], path: [...at, field] }] : [];
  return [
    ...named(part, 'Next'),
    ...named(part, 'Default'),
    ...partsOf(part, 'Choices').flatMap((rule) => named(rule, 'Next')),
    ...partsOf(part, 'Catch').flatMap((catcher) => named(catcher, 'Next')),
  ];
}
