import { badCreation } from '../diagnostics/rows.ts';
import { Table } from '../table.ts';
import { isGuardWord } from '../vocabulary.ts';
import type { LifecycleRule } from './rule.ts';

/** Reports rows that create an instance (`from: null`) and do more than choose its first state. Spec: docs/formats/lifecycle.md#creation */
export const badCreations: LifecycleRule = ({ definition, report }) => {
  const { states } = new Table(definition);
  for (const { from, to, guard, actions, raise, at } of definition.rows) {
    if (from.kind !== 'nothing') continue;
    const isUnknown = guard?.kind === 'word' && !isGuardWord(guard.word);
    if (guard && !isUnknown && to && !(guard.kind === 'word' && guard.word === 'queued'))
      report(badCreation('guard'), guard.at);
    if (!to) report(badCreation('target'), at, { follows: [[...at, 'to']] });
    else if (actions.length > 0 || raise) report(badCreation('effects'), at);
    const target = to?.kind === 'state' ? states.get(to.name) : undefined;
    if (target && (target.kind === 'terminal' || target.returns))
      report(badCreation('live'), to!.at);
  }
};
