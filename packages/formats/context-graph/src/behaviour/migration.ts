import type { Chart } from '@dramaturg/compiler';
import { nodesOf } from '@dramaturg/compiler/chart';
import type { ContextMigration } from '@dramaturg/compiler/machine';
import type { GraphContext } from '../context.ts';
import type { Address } from '../names.ts';

/** Renames states between turns: the records of a running turn contain addresses too. */
export const migration: ContextMigration<GraphContext> = {
  renamed: (context, { states }) => {
    const { state, knowledge } = context;
    const renamed = <Part extends { readonly state: Address }>(part: Part): Part => ({
      ...part,
      state: renamedAddress(part.state, states),
    });
    const { selected, thoughts } = knowledge;
    return {
      ...context,
      state: renamedAddress(state, states),
      knowledge: { ...knowledge, selected: selected.map(renamed), thoughts: thoughts.map(renamed) },
    };
  },
  fitted: (context, { from, to }) => {
    const isSame = JSON.stringify(statesOf(from)) === JSON.stringify(statesOf(to));
    return {
      context,
      ...(context.traversal && !isSame
        ? { blocks: ['It is in a turn that has visited states. Migrate it between turns.'] }
        : {}),
    };
  },
};

/** Renames a state of the graph itself. States of referenced graphs keep their names. */
function renamedAddress(address: Address, states: Readonly<Record<string, string>>): Address {
  return Object.hasOwn(states, address) ? states[address]! : address;
}

/** The ids of all nodes, which name the states. */
function statesOf(chart: Chart): readonly string[] {
  return nodesOf(chart)
    .flatMap(({ id }) => id ?? [])
    .toSorted();
}
