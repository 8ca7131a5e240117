import type { Json } from '@dramaturg/compiler';
import { keyOf } from '../conditions/condition.ts';
import { kindOf } from '../conditions/table.ts';
import { type Deliverable } from '../definition.ts';
import { coercedValue, impossibleValue, numericOnText } from '../diagnostics/transitions.ts';
import { coerce, comparedType, whatItIs } from '../value.ts';
import { allDeliverables, declarationFinder } from '../declarations.ts';
import { valuesOf } from './implication.ts';
import type { PlanRule } from './rule.ts';
import { simpleConditions } from './undeclared-keys.ts';

/** Reports expected values that the deliverable cannot have under any of its declarations, and values of another type. */
export const impossibleValues: PlanRule = ({ definition, report }) => {
  const declarationOf = declarationFinder(definition);
  const everywhere = new Map<string, Deliverable[]>();
  for (const deliverable of allDeliverables(definition)) {
    const known = everywhere.get(deliverable.key);
    if (known) known.push(deliverable);
    else everywhere.set(deliverable.key, [deliverable]);
  }
  for (const { condition, state } of simpleConditions(definition)) {
    const key = keyOf(condition) ?? '';
    const deliverable = declarationOf(state, key);
    if (!deliverable || !condition.paths) continue;
    const compared = comparedType(deliverable);
    if (compared.type === 'enum' && compared.enum_values.length === 0) continue;
    const fits = (value: Json) =>
      everywhere.get(key)?.some((each) => coerce(value, comparedType(each)).fits);
    for (const value of valuesOf(condition) ?? []) {
      const written = JSON.stringify(value);
      const coerced = coerce(value, compared);
      if (coerced.fits && typeof coerced.value !== typeof value) {
        report(coercedValue(key, written, JSON.stringify(coerced.value)), condition.paths.value);
      } else if (value === '') {
        report(impossibleValue(key, written, 'never empty', []), condition.paths.value);
      } else if (!coerced.fits && !fits(value)) {
        const { enum_values: options } = compared;
        report(impossibleValue(key, written, whatItIs(compared), options), condition.paths.value, {
          follows: ['type', 'enum_values', 'items'].map((field) => [...deliverable.at, field]),
        });
      }
    }
    const isText = deliverable.type === 'string' || deliverable.type === 'enum';
    if (kindOf(condition).isNumeric && isText) {
      report(numericOnText(key, deliverable.type), condition.paths.key, {
        follows: [[...deliverable.at, 'type']],
      });
    }
  }
};
