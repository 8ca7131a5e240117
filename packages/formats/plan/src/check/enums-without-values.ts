import { enumWithoutValues } from '../diagnostics/tasks.ts';
import { allDeliverables } from '../declarations.ts';
import type { PlanRule } from './rule.ts';

/** Reports enums without a list of values. */
export const enumsWithoutValues: PlanRule = ({ definition, report }) => {
  for (const deliverable of allDeliverables(definition)) {
    const { key, items } = deliverable;
    for (const { type, enum_values, at } of [deliverable, ...(items ? [items] : [])])
      if (type === 'enum' && enum_values.length === 0)
        report(enumWithoutValues(key), at, { follows: [[...at, 'enum_values']] });
  }
};
