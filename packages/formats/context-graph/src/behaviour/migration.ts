import type { ContextMigration } from '@dramaturg/compiler/machine';
import type { GraphContext } from '../context.ts';
import type { Address } from '../names.ts';

/** Renames states between turns: the records of a running turn contain addresses too. */
export const migration: ContextMigration<GraphContext> = {
  renamed: (context, { states }) => ({
    ...context,
    state: renamedAddress(context.state, states),
    knowledge: {
      ...context.knowledge,
      selected: context.knowledge.selected.map((each) => ({
        ...each,
        state: renamedAddress(each.state, states),
      })),
      thoughts: context.knowledge.thoughts.map((each) => ({
        ...each,
        state: renamedAddress(each.state, states),
      })),
    },
  }),
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

/** The keys of all nodes with ids, which name the states. */
function statesOf(chart: object): readonly string[] {
  const ids: string[] = [];
  const pending: unknown[] = [chart];
  for (const node of pending) {
    const { id, states = {} } = node as { readonly id?: string; readonly states?: object };
    if (id !== undefined) ids.push(id);
    pending.push(...(Object.values(states) as unknown[]));
  }
  return ids.toSorted();
}
