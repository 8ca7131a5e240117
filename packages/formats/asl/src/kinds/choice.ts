import type { Json, Path } from '@dramaturg/compiler';
import {
  type ChartNode,
  type ChartOperand,
  type ChartTransition,
  operandsMeta,
} from '@dramaturg/compiler/chart';
import * as z from 'zod/mini';
import { authoredPart, conditionsOf, type Part, partOf, partsOf } from '../authored.ts';
import { type BehaviourPart, references } from '../behaviour/part.ts';
import type { StateAction } from '../behaviour/state-at-work.ts';
import { enterState, leaveState } from '../behaviour/state-steps.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import {
  type AcceptedValues,
  type Demands,
  demandsOf,
  exampleOf,
  isWithin,
} from '../check/accepted-values.ts';
import { judgeCondition } from '../check/flow/condition-verdict.ts';
import { languageFlow, type StateWays, type Ways } from '../check/flow/language-flow.ts';
import { conditional } from '../check/flow/sight.ts';
import { atMostOne, type StateRule } from '../check/rule.ts';
import { compileCondition } from '../data/choice.ts';
import { compileExpression, operandTexts } from '../data/jsonata/expression.ts';
import { StatesError } from '../data/states-error.ts';
import { isDuration, isTimestamp } from '../data/timestamp.ts';
import {
  choiceRule,
  type ChoiceRule,
  comparisons,
  type Condition,
  connectives,
} from '../definition/choice-rule.ts';
import { described, hasHole, optional, text } from '../definition/field.ts';
import type { Dialect } from '../definition/machine.ts';
import { type StateBase, stateObject } from '../definition/state.ts';
import {
  badTimestamp,
  contradictoryRule,
  noComparison,
  questionMark,
  severalComparisons,
  shadowedRule,
} from '../diagnostics/choice.ts';
import { emptyList, missingField } from '../diagnostics/fields.ts';
import { dialects } from '../dialect.ts';
import { scopeOf } from '../flow/jsonata-flow.ts';
import { evaluation } from '../flow/jsonpath-flow.ts';
import type { Run } from '../flow/run.ts';
import {
  failureExitOf,
  type NodeContext,
  stateMeta,
  stateParams,
  targetOf,
  withFailureExit,
} from '../lower/nodes.ts';
import { optionalJson, optionalObject, optionalString, readObjects } from '../normalise/fields.ts';
import type { Reading } from '../normalise/state.ts';
import type { StateTester } from '../test-state/tester.ts';
import type { Kind } from './kind.ts';

/** Spec: Agent 2 §Choice State, Amazon #choice-state */
const choice = stateObject(['filters', 'output', 'assign'], {
  /** Agent 2 §Choice State, Amazon #choice-state */
  Choices: described(z.array(choiceRule), 'The first rule that holds leads on.'),
  /** Agent 2 §Choice State, Amazon #choice-state */
  Default: optional(text, 'Where to go when none holds.'),
});

export type Choice = ReturnType<typeof readChoice>;

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
        message: 'An earlier rule matches first.',
      };
      report(shadowedRule(first.index + 1, examples.join(' and ')), at, { related: [before] });
    } else if (demands.isExact) earlier.push({ demands, index });
  }
};

/** Whether a rule holds for all data for which the other holds. */
function takesAll(one: Demands, other: Demands): boolean {
  return [...one.byVariable].every(([variable, accepted]) => {
    const ofOther: AcceptedValues | undefined = other.byVariable.get(variable);
    return ofOther !== undefined && isWithin(ofOther, accepted);
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

/** Rules after one that always holds, and rules that never hold, lead nowhere. */
const choiceWays: StateWays<Choice> = {
  enter({ state, sight, flow }) {
    const selected = flow.select();
    const { chosen } = languageFlow(conditional(sight));
    const exits: Ways['exits'][number][] = [];
    for (const [index, rule] of state.Choices.entries()) {
      const seen = index === 0 ? sight : conditional(sight);
      const verdict = rule.condition && judgeCondition(rule.condition, selected, seen);
      if (verdict !== false) exits.push({ target: rule.Next, passed: chosen(rule) });
      if (verdict === true) return { exits };
    }
    if (state.Default !== undefined) {
      exits.push({ target: state.Default, passed: chosen(undefined) });
    }
    return { exits };
  },
};

const relations: Readonly<Record<string, string>> = {
  Equals: '=',
  LessThan: '<',
  GreaterThan: '>',
  LessThanEquals: '<=',
  GreaterThanEquals: '>=',
  Matches: 'matches',
};

/** A condition as drawings show it: `$.total > 100 and not ($.trusted = true)`. */
function describeCondition(condition: Condition | undefined): string {
  if (!condition) return '';
  if ('conditions' in condition) {
    const word = condition.operator === 'And' ? ' and ' : ' or ';
    return condition.conditions.map(inner).join(word);
  }
  if ('condition' in condition) return `not ${inner(condition.condition)}`;
  if ('expression' in condition) {
    const { expression } = condition;
    return typeof expression === 'string' ? expression.slice(2, -2).trim() : String(expression);
  }
  return describeComparison(condition.operator, condition.Variable, condition.operand);
}

/** The comparisons of a condition; of a JSONata expression, the operands of its `and`, `or` and `$not`. */
function operandsIn(condition: Condition | undefined): readonly ChartOperand[] {
  if (!condition) return [];
  if ('conditions' in condition) return condition.conditions.flatMap(operandsIn);
  if ('condition' in condition) return operandsIn(condition.condition);
  const { at } = condition;
  if (!('expression' in condition))
    return [{ origin: at, description: describeCondition(condition) }];
  const { expression } = condition;
  if (typeof expression !== 'string') return [];
  return operandTexts(expression).map((words, index) => ({
    origin: [...at, 'Condition', index],
    description: words,
  }));
}

function inner(condition: Condition): string {
  const words = describeCondition(condition);
  return 'conditions' in condition ? `(${words})` : words;
}

function describeComparison(operator: string, variable: string, operand: Json): string {
  if (operator.startsWith('Is')) {
    const kind = operator.slice(2).toLowerCase();
    return `${variable} is ${operand === false ? 'not ' : ''}${kind}`;
  }
  const isPath = operator.endsWith('Path');
  const [, relation = ''] =
    /^(?:String|Numeric|Boolean|Timestamp)(.+)$/.exec(isPath ? operator.slice(0, -4) : operator) ??
    [];
  const other = isPath && typeof operand === 'string' ? operand : JSON.stringify(operand);
  return `${variable} ${relations[relation] ?? relation} ${other}`;
}

const refer = references<typeof choiceBehaviour & typeof stateBehaviour>();

function choiceNode(state: Choice, id: string, context: NodeContext): ChartNode {
  const rules = ruleTransitions(context, state.Choices);
  const { Default: fallback } = state;
  return {
    id,
    entry: [refer.action('choose', stateParams(context, id))],
    always:
      fallback === undefined
        ? [...rules, failureExitOf(context)]
        : withFailureExit(context, [...rules, defaultTransition(context, fallback, state)]),
    meta: stateMeta(state, context),
  };
}

/** The transitions of the rules of a Choice or an Approval, once the state has evaluated them. */
export function ruleTransitions(
  context: NodeContext,
  rules: readonly ChoiceRule[],
): ChartTransition[] {
  return rules.map(({ condition, Next: next, at }, way) => ({
    target: targetOf(context, next),
    guard: refer.guard('isChosenWay', { machine: context.machine, way }),
    ...(condition && { description: describeCondition(condition) }),
    meta: { origin: at, ...operandsMeta(operandsIn(condition)) },
  }));
}

/** The transition of a state when none of its rules applies. */
export function defaultTransition(
  context: NodeContext,
  name: string,
  { at }: { readonly at: Path },
): ChartTransition {
  return {
    target: targetOf(context, name),
    description: 'otherwise',
    meta: { origin: [...at, 'Default'] },
  };
}

/** Spec: Agent 2 §Choice State, Amazon #choice-state */
const chooseRule: StateAction = (scope, params) =>
  enterState<ChoiceProgram>(scope, params, (state, progress) => {
    const { flow, choose: firstRule } = state.program;
    const run = state.run(progress);
    const rule = firstRule(run, flow.select(run));
    return leaveState(state, progress, flow.chosen(run, rule), rule);
  });

const choiceBehaviour = { actions: { choose: chooseRule } } satisfies BehaviourPart;

const testChoice: StateTester<ChoiceProgram> = ({ flow, state, choose }, run) => {
  const { Choices: rules, Default: fallback } = state as Choice;
  const rule = choose(run, flow.select(run));
  const nextState = rule === undefined ? fallback : rules[rule]!.Next;
  return { ...flow.chosen(run, rule), nextState };
};

export const choiceKind: Kind<Choice, ChoiceProgram> = {
  definition: {
    schema: choice,
  },
  read: readChoice,
  rules: [emptyChoices, ...choiceRules],
  ways: choiceWays,
  node: choiceNode,
  compile: compileChoice,
  behaviour: choiceBehaviour,
  test: testChoice,
};

/**
 * The first rule that holds; undefined takes the `Default`. Spec: Agent 2 §Choice State, Amazon #choice-state
 *
 * @throws StatesError States.NoChoiceMatched when no rule holds and there is no `Default`
 */
type Choose = (run: Run, selected: Json) => number | undefined;

/** The slice of the program that a Choice owns. */
export interface ChoiceProgram {
  readonly choose: Choose;
}

function compileChoice(state: Choice, dialect: Dialect): ChoiceProgram {
  return { choose: compileRules(state, dialect) };
}

function compileRules(state: Choice, dialect: Dialect): Choose {
  const conditions = state.Choices.map(({ condition }) => compileRule(condition, dialect));
  return (run, selected) => {
    const rule = conditions.findIndex((holds) => holds(run, selected));
    if (rule >= 0) return rule;
    if (state.Default !== undefined) return undefined;
    throw new StatesError(
      'States.NoChoiceMatched',
      'No rule of the Choice holds, and it has no "Default".',
    );
  };
}

/** Only `testState` reads states of definitions that have errors. */
function failWithoutCondition(): never {
  throw new StatesError('States.Runtime', 'A rule of the Choice has no condition.');
}

function compileRule(
  condition: Condition | undefined,
  dialect: Dialect,
): (run: Run, selected: Json) => boolean {
  if (!condition) return () => failWithoutCondition();
  if (condition.operator !== 'Condition') {
    const holds = compileCondition(condition, dialect);
    return (run, selected) => holds(evaluation(run, selected));
  }
  const { expression, at } = condition as Extract<Condition, { readonly expression: unknown }>;
  if (typeof expression === 'boolean') return () => expression;
  const evaluate = compileExpression(expression, 'Condition');
  return (run) => {
    const { onOperand } = run.world;
    const value = evaluate(
      scopeOf(run),
      onOperand && ((index, holds) => onOperand([...at, 'Condition', index], holds)),
    );
    if (typeof value === 'boolean') return value;
    throw new StatesError(
      'States.QueryEvaluationError',
      `The JSONata expression '${expression.slice(2, -2).trim()}' specified for the field 'Condition' must give true or false.`,
    );
  };
}

function readChoice(base: StateBase, authored: Part, reading: Reading) {
  return {
    ...base,
    Type: 'Choice' as const,
    Choices: readChoiceRules(authored, reading),
    Default: optionalString(authored.value['Default']),
  };
}

export function readChoiceRules(authored: Part, reading: Reading): ChoiceRule[] {
  return readObjects(authored, 'Choices', reading).map((rule) => {
    const { value: fields, at } = rule;
    return {
      condition: readCondition(rule, reading),
      Next: optionalString(fields['Next']) ?? '',
      Output: optionalJson(fields['Output']),
      Assign: optionalObject(fields['Assign']),
      at,
      authored: fields,
    };
  });
}

/** Undefined for a condition without a comparison, also in a nested condition. */
function readCondition(authored: Part, reading: Reading): Condition | undefined {
  const { value: fields, at } = authored;
  const expression = fields['Condition'];
  if (typeof expression === 'string' || typeof expression === 'boolean') {
    return { operator: 'Condition', expression, at };
  }
  for (const operator of ['And', 'Or'] as const) {
    if (!Array.isArray(fields[operator])) continue;
    const conditions = readObjects(authored, operator, reading).map((one) =>
      readCondition(one, reading),
    );
    return conditions.includes(undefined)
      ? undefined
      : { operator, conditions: conditions as Condition[], at };
  }
  const negated = partOf(authored, 'Not');
  if (negated) {
    const condition = readCondition(negated, reading);
    return condition && { operator: 'Not', condition, at };
  }
  const operator = Object.keys(fields).find((field) => Object.hasOwn(comparisons, field));
  const variable = optionalString(fields['Variable']) ?? optionalString(fields['Variable.$']);
  if (operator === undefined || variable === undefined) return undefined;
  return { operator, Variable: variable, operand: fields[operator] as Json, at };
}
