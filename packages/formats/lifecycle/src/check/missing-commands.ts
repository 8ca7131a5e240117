import { missingCommand } from '../diagnostics/states.ts';
import { Table } from '../table.ts';
import type { LifecycleRule } from './rule.ts';

/** Reports states without a row for `pause` or `cancel` when other states have one. A paused state needs none for `pause`. */
export const missingCommands: LifecycleRule = ({ definition, report }) => {
  const table = new Table(definition);
  for (const event of ['pause', 'cancel']) {
    if (!definition.rows.some((row) => row.event === event)) continue;
    for (const { name, kind, returns, at } of definition.states) {
      if (kind === 'terminal' || (event === 'pause' && returns)) continue;
      // Another rule reports states that no row leaves.
      if (table.own(name).size === 0) continue;
      if (table.rows(name, event).length === 0)
        report(missingCommand(name, event), at, {
          at: 'key',
          follows: definition.wiring,
          topic: event,
        });
    }
  }
};
