import { leavesTerminalState } from '../diagnostics/rows.ts';
import { Table } from '../table.ts';
import type { LifecycleRule } from './rule.ts';

/** Reports rows that leave a terminal state. Spec: docs/formats/lifecycle.md#states */
export const rowsFromTerminalStates: LifecycleRule = ({ definition, report }) => {
  const { states } = new Table(definition);
  // Rows for several events, and rows of one state of a map, share one `from`.
  for (const from of new Set(definition.rows.map((row) => row.from))) {
    if (from.kind !== 'states') continue;
    for (const { name, at } of from.states) {
      if (states.get(name)?.kind === 'terminal')
        report(leavesTerminalState(name), at.path, {
          ...(at.at ? { at: at.at } : {}),
          topic: name,
        });
    }
  }
};
