import { misplacedReturn } from '../diagnostics/rows.ts';
import { Table } from '../table.ts';
import type { LifecycleRule } from './rule.ts';

/** Reports rows that lead to the previous state but do not leave a suspended state. Spec: docs/formats/lifecycle.md#pause */
export const misplacedReturns: LifecycleRule = ({ definition, report }) => {
  const { states } = new Table(definition);
  for (const { from, to } of definition.rows) {
    if (to?.kind !== 'previous') continue;
    if (from.kind === 'nothing') report(misplacedReturn('this row creates an instance'), to.at);
    if (from.kind === 'any') report(misplacedReturn('"*" means every state'), to.at);
    if (from.kind !== 'states') continue;
    for (const { name } of from.states) {
      const kind = states.get(name)?.kind ?? 'suspended';
      // Rows that leave a terminal state have their own finding.
      if (kind !== 'suspended' && kind !== 'terminal')
        report(misplacedReturn(`"${name}" is ${kind}`), to.at);
    }
  }
};
