import type { Path } from '@dramaturg/compiler';
import { hasHole } from '../definition/field.ts';
import { comparisons, connectives } from '../definition/choice-rule.ts';
import type { Choice, StateBase } from '../definition/index.ts';
import { dialects } from '../dialect.ts';
import {
  badTimestamp,
  noComparison,
  questionMark,
  severalComparisons,
} from '../diagnostics/choice.ts';
import { missingField } from '../diagnostics/fields.ts';
import { emptyList } from '../diagnostics/structure.ts';
import { authoredPart, conditionsOf, type Part, partsOf } from '../authored.ts';
import { atMostOne, type StateRule } from './rule.ts';
import { isDuration, isTimestamp } from '../data/timestamp.ts';

/** `And` and `Or` have conditions. Spec: states-language.net/spec.html#choice-state */
const connectivesHaveConditions: StateRule<StateBase> = (state, { report }) => {
  for (const rule of conditionsIn(state)) {
    for (const connective of ['And', 'Or']) {
      const list = rule.value[connective];
      if (Array.isArray(list) && list.length === 0) {
        report(emptyList(connective), [...rule.at, connective]);
      }
    }
  }
};

/** There is something to choose from. Spec: Agent 2 §Choice State, states-language.net/spec.html#choice-state */
const hasChoices: StateRule<Choice> = ({ authored, at }, { report }) => {
  const { Choices: choices } = authored;
  if (Array.isArray(choices) && choices.length === 0) {
    report(emptyList('Choices'), [...at, 'Choices']);
  }
};

const operators = [...connectives, ...Object.keys(comparisons), 'Condition'];

/** A rule makes one comparison, or joins others. Spec: states-language.net/spec.html#choice-state */
const rulesCompare: StateRule<StateBase> = (state, { report }) => {
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

/** An operand of a comparison of times is a timestamp; agents' workflows also write how long ago. Agent 8 by example */
const timestampsAreTimes: StateRule<StateBase> = (state, { definition, report }) => {
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

/** A pattern means the same in every engine. Spec: states-language.net/spec.html#choice-state */
const patternsArePlain: StateRule<StateBase> = (state, { definition, report }) => {
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
  connectivesHaveConditions,
  rulesCompare,
  timestampsAreTimes,
  patternsArePlain,
];

export const choiceStateRules: readonly StateRule<Choice>[] = [hasChoices, ...choiceRules];
