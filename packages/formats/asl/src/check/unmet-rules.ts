import { authoredPart, partsOf } from '../authored.ts';
import type { StateBase } from '../definition/index.ts';
import { contradictoryRule, shadowedRule } from '../diagnostics/choice.ts';
import {
  type AcceptedValues,
  type Demands,
  demandsOf,
  exampleOf,
  isWithin,
} from './accepted-values.ts';
import type { StateRule } from './rule.ts';

/** Of more rules, only so many are compared with each other. */
const rulesMax = 200;

/** Reports rules that are never taken: an earlier rule accepts all that they accept, or their conditions exclude each other. */
export const unmetRules: StateRule<StateBase> = (state, { report }) => {
  if (state.QueryLanguage === 'JSONata') return;
  const earlier: { readonly demands: Demands; readonly index: number }[] = [];
  for (const [index, { value, at }] of partsOf(authoredPart(state), 'Choices')
    .slice(0, rulesMax)
    .entries()) {
    const demands = demandsOf(value);
    const { contradiction } = demands;
    if (contradiction !== undefined) {
      report(contradictoryRule(contradiction), [...at, 'And']);
      continue;
    }
    const first = earlier.find((each) => takesAll(each.demands, demands));
    if (first) {
      const examples = Array.from(
        first.demands.byVariable.keys(),
        (variable) => `${variable} = ${exampleOf(demands.byVariable.get(variable)!)}`,
      );
      const before = {
        path: [...at.slice(0, -1), first.index],
        message: 'This rule is taken first.',
      };
      report(shadowedRule(first.index + 1, examples.join(' and ')), at, { related: [before] });
    } else if (demands.isExact) earlier.push({ demands, index });
  }
};

/** Whether a rule holds for all data for which another holds. */
function takesAll(one: Demands, other: Demands): boolean {
  return [...one.byVariable].every(([variable, accepted]) => {
    const inner: AcceptedValues | undefined = other.byVariable.get(variable);
    return inner !== undefined && isWithin(inner, accepted);
  });
}
