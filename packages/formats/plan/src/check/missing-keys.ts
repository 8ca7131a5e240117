import { goalMarker, reservedIds } from '../definition.ts';
import { reservedId } from '../diagnostics/states.ts';
import { missingKey } from '../diagnostics/tasks.ts';
import { allDeliverables } from '../declarations.ts';
import type { PlanRule } from './rule.ts';

/** Reports deliverables with a missing or reserved key. Spec: docs/formats/plan.md#deliverables */
export const missingKeys: PlanRule = ({ definition, report }) => {
  for (const { key, at } of allDeliverables(definition)) {
    if (key === '') report(missingKey(), at, { about: [[...at, 'key']] });
    if (key === goalMarker || reservedIds.includes(key))
      report(reservedId('key of a deliverable', key), [...at, 'key']);
  }
};
