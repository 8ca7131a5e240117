import { misplacedReturn } from '../diagnostics/rows.ts';
import { Table } from '../table.ts';
import type { LifecycleRule } from './rule.ts';

/** Only a suspended state leads back to the previous state. Spec: docs/formats/lifecycle.md#pause */
export const misplacedReturns: LifecycleRule = ({ definition, report }) => {
  const { states } = new Table(definition);
  for (const { from, to } of definition.rows) {
    if (to?.kind !== 'previous') continue;
    if (from.kind === 'nothing') report(misplacedReturn('nothing comes before an instance'), to.at);
    if (from.kind === 'any') report(misplacedReturn('"*" means every one'), to.at);
    if (from.kind !== 'states') continue;
    for (const { name } of from.states) {
      const kind = states.get(name)?.kind ?? 'suspended';
      // Rows that leave a terminal state have their own finding.
      if (kind !== 'suspended' && kind !== 'terminal')
        report(misplacedReturn(`"${name}" is ${kind}`), to.at);
    }
  }
};
