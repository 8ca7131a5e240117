import { hasHole } from '../definition/field.ts';
import { unknownJitter } from '../diagnostics/retry.ts';
import { statesOf } from '../walk.ts';
import { recoveries } from './recoveries.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports unknown jitter strategies. Agent State Language has a third one, and ignores case. Spec: Agent 8 §Jitter */
export const unknownJitters: WorkflowRule = ({ definition, report }) => {
  const isAgent = definition.dialect === 'agent';
  const known = isAgent ? ['NONE', 'FULL', 'DECORRELATED'] : ['NONE', 'FULL'];
  for (const { field, list } of statesOf(definition).flatMap(recoveries)) {
    if (field === 'Catch') continue;
    for (const { value, at } of list) {
      const { JitterStrategy: strategy } = value;
      if (typeof strategy !== 'string' || (definition.isTemplate && hasHole(strategy))) continue;
      if (known.includes(isAgent ? strategy.toUpperCase() : strategy)) continue;
      report(unknownJitter(strategy, known), [...at, 'JitterStrategy']);
    }
  }
};
