import type { Chart } from '@dramaturg/compiler';
import { nodesOf } from '@dramaturg/compiler/chart';
import type { ContextMigration } from '@dramaturg/compiler/machine';
import { renaming } from '@dramaturg/conversation';
import type { GraphContext } from '../context.ts';
import type { Address } from '../names.ts';

/** Renames states between turns: the records of a running turn contain addresses too. States of referenced graphs keep their names. */
export const migration: ContextMigration<GraphContext> = {
  renamed: (context, names) => {
    const { knowledge } = context;
    const { state } = renaming(names);
    const renamed = <Part extends { readonly state: Address }>(part: Part): Part => ({
      ...part,
      state: state(part.state),
    });
    const { selected, thoughts } = knowledge;
    return {
      ...renamed(context),
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

/** The ids of all nodes, which name the states. */
function statesOf(chart: Chart): readonly string[] {
  return nodesOf(chart)
    .flatMap(({ id }) => id ?? [])
    .toSorted();
}
