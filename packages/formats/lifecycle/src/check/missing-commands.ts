import { missingCommand } from '../diagnostics/states.ts';
import { Table } from '../table.ts';
import type { LifecycleRule } from './rule.ts';

/** What an operator can do in some states is possible in all, except to pause what is paused. */
export const missingCommands: LifecycleRule = ({ definition, report }) => {
  const table = new Table(definition);
  for (const event of ['pause', 'cancel']) {
    if (!definition.rows.some((row) => row.event === event)) continue;
    for (const { name, kind, returns, at } of definition.states) {
      if (kind === 'terminal' || (event === 'pause' && returns)) continue;
      // Of a state that nothing leaves another rule speaks.
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
