import { isRecord } from '@dramaturg/compiler';
import type { Machine, State, Workflow } from './definition/index.ts';
import { definitionOf, stateTypes } from './kinds.ts';

/** A workflow and all machines within it, outer machines first. */
export function machinesOf(workflow: Machine): readonly Machine[] {
  const machines = [workflow];
  for (const { States: states } of machines) {
    for (const state of states) {
      const { machinesOf: inside } = definitionOf(state.Type);
      if (inside) machines.push(...inside(state));
    }
  }
  return machines;
}

/** Every state of a workflow, also of branches and iterators. */
export function statesOf(workflow: Workflow): readonly State[] {
  return machinesOf(workflow).flatMap(({ States: states }) => states);
}

/** The fields of states that hold machines. */
export const machineFields: readonly string[] = stateTypes.flatMap((type) =>
  Object.keys(definitionOf(type).machineFields ?? {}),
);

/** Every state in a value of any shape, also of branches and iterators. */
export function* authoredStates(
  value: unknown,
): Generator<{ readonly name: string; readonly state: Record<string, unknown> }> {
  const machines = [value];
  for (const machine of machines) {
    const states = isRecord(machine) ? machine['States'] : undefined;
    for (const [name, state] of isRecord(states) ? Object.entries(states) : []) {
      if (!isRecord(state)) continue;
      yield { name, state };
      for (const field of machineFields) {
        const inside = state[field];
        if (Array.isArray(inside)) for (const one of inside) machines.push(one);
        else machines.push(inside);
      }
    }
  }
}
