import { equalDisplayOrder } from '../diagnostics/states.ts';
import type { NpcRule } from './rule.ts';

/** Reports two states with the same `display_order`: the field has no effect, but this is probably a mistake. */
export const equalDisplayOrders: NpcRule = ({ definition, report }) => {
  for (const { states } of definition.scenarios) {
    const first = new Map<number, string>();
    for (const { display_order: order, state_key, at } of states) {
      if (order === undefined) continue;
      const other = first.get(order);
      if (other === undefined) first.set(order, state_key);
      else report(equalDisplayOrder(order, other), [...at, 'display_order']);
    }
  }
};
