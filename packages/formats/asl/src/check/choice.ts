import type { Path } from '@dramaturg/compiler';
import { authoredPart, conditionsOf, type Part, partsOf } from '../authored.ts';
import { isDuration, isTimestamp } from '../data/timestamp.ts';
import { comparisons, connectives } from '../definition/choice-rule.ts';
import { hasHole } from '../definition/field.ts';
import type { Choice, StateBase } from '../definition/index.ts';
import {
  badTimestamp,
  contradictoryRule,
  noComparison,
  questionMark,
  severalComparisons,
  shadowedRule,
} from '../diagnostics/choice.ts';
import { missingField } from '../diagnostics/fields.ts';
import { emptyList } from '../diagnostics/structure.ts';
import { dialects } from '../dialect.ts';
import {
  type AcceptedValues,
  type Demands,
  demandsOf,
  exampleOf,
  isWithin,
} from './accepted-values.ts';
import { atMostOne, type StateRule } from './rule.ts';

/** The most rules that are compared with each other. */
const rulesMax = 200;

/** Reports rules that are never taken: an earlier rule accepts all that they accept, or their conditions exclude each other. */
const unmetRules: StateRule<StateBase> = (state, { report }) => {
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

/** Whether a rule holds for all data for which the other holds. */
function takesAll(one: Demands, other: Demands): boolean {
  return [...one.byVariable].every(([variable, accepted]) => {
    const inner: AcceptedValues | undefined = other.byVariable.get(variable);
    return inner !== undefined && isWithin(inner, accepted);
  });
}

/** Reports `And` and `Or` without conditions. Spec: states-language.net/spec.html#choice-state */
const emptyConnectives: StateRule<StateBase> = (state, { report }) => {
  for (const rule of conditionsIn(state)) {
    for (const connective of ['And', 'Or']) {
      const list = rule.value[connective];
      if (Array.isArray(list) && list.length === 0) {
        report(emptyList(connective), [...rule.at, connective]);
      }
    }
  }
};

/** Reports an empty list of choices. Spec: Agent 2 §Choice State, states-language.net/spec.html#choice-state */
const emptyChoices: StateRule<Choice> = ({ authored, at }, { report }) => {
  const { Choices: choices } = authored;
  if (Array.isArray(choices) && choices.length === 0) {
    report(emptyList('Choices'), [...at, 'Choices']);
  }
};

const operators = [...connectives, ...Object.keys(comparisons), 'Condition'];

/** Reports rules with no comparison, or with several. Spec: states-language.net/spec.html#choice-state */
const wrongComparisons: StateRule<StateBase> = (state, { report }) => {
  for (const rule of conditionsIn(state)) {
    const { value: fields, at } = rule;
    const found = Object.keys(fields).filter(
      (field) =>
        field === 'Condition' || connectives.includes(field) || Object.hasOwn(comparisons, field),
    );
    const [first, ...others] = found;
    if (first === undefined) {
      // The shape check reports that an empty rule needs "Next".
      if (Object.keys(fields).length === 0 && isRule(at)) continue;
      const follows = operators.map((operator) => [...at, operator]);
      if (state.QueryLanguage === 'JSONata')
        report(missingField('A rule', ['Condition']), at, { about: follows, follows });
      else report(noComparison(Object.keys(fields), operators), at, { about: follows, follows });
      continue;
    }
    for (const other of others) {
      report(severalComparisons(other, first), [...at, other], { at: 'key' });
    }
    const isComparison = Object.hasOwn(comparisons, first);
    const isNamed = Object.hasOwn(fields, 'Variable') || Object.hasOwn(fields, 'Variable.$');
    const about = [[...at, 'Variable']];
    if (isComparison && !isNamed)
      report(missingField('A comparison', ['Variable']), at, { about, follows: about });
    atMostOne(rule, ['Variable', 'Variable.$'], report);
  }
};

/** Whether the path is that of a rule, not of a condition in one. */
function isRule(at: Path): boolean {
  return at.at(-2) === 'Choices';
}

/**
 * Reports operands of time comparisons that are not timestamps.
 * Agent State Language also allows durations. Agent 8 by example
 */
const badTimestamps: StateRule<StateBase> = (state, { definition, report }) => {
  const isRelative = dialects[definition.dialect].timesAreRelative;
  for (const rule of conditionsIn(state)) {
    for (const [operator, operand] of Object.entries(rule.value)) {
      if (!operator.startsWith('Timestamp') || operator.endsWith('Path')) continue;
      if (typeof operand !== 'string' || !Object.hasOwn(comparisons, operator)) continue;
      if (isTimestamp(operand) || (definition.isTemplate && hasHole(operand))) continue;
      if (isRelative && isDuration(operand.replace(/^-/, ''))) continue;
      report(badTimestamp(operand, isRelative), [...rule.at, operator]);
    }
  }
};

/** Reports patterns that other engines read differently. Spec: states-language.net/spec.html#choice-state */
const questionMarks: StateRule<StateBase> = (state, { definition, report }) => {
  if (definition.dialect === 'amazon') return;
  for (const rule of conditionsIn(state)) {
    const pattern = rule.value['StringMatches'];
    if (typeof pattern === 'string' && pattern.includes('?')) {
      report(questionMark(), [...rule.at, 'StringMatches']);
    }
  }
};

/** Every choice rule of a state, and every condition within one. */
function conditionsIn(state: StateBase): readonly Part[] {
  return partsOf(authoredPart(state), 'Choices').flatMap(conditionsOf);
}

/** Rules for the `Choices` of a state of any type. */
export const choiceRules: readonly StateRule<StateBase>[] = [
  emptyConnectives,
  wrongComparisons,
  badTimestamps,
  questionMarks,
  unmetRules,
];

export const choiceStateRules: readonly StateRule<Choice>[] = [emptyChoices, ...choiceRules];
