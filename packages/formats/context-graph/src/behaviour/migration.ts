import type { ContextMigration } from '@dramaturg/compiler/machine';
import type { GraphContext } from '../context.ts';
import type { Address } from '../names.ts';

/** Other names of states. A turn in hand has addresses in its records too, so such names are given between turns. */
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

/** A state of the graph itself: those of referenced graphs keep their names. */
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
