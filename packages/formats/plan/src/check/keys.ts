import type { Json } from '@dramaturg/compiler';
import { reachableFrom } from '@dramaturg/compiler/chart';
import { didYouMean, nearestName } from '@dramaturg/compiler/text';
import { firstBy, groupedBy } from '@dramaturg/conversation';
import {
  areDisjoint,
  eachCondition,
  excludes,
  inWords as conditionInWords,
  keyOf,
  valuesOf,
  withDeclaredValues,
} from '../conditions/condition.ts';
import type { NumberRange } from '../conditions/kind.ts';
import { type Condition, kindOf } from '../conditions/table.ts';
import {
  type Deliverable,
  goalMarker,
  type Plan,
  type PlanRule,
  type State,
  type Transition,
} from '../definition.ts';
import {
  allDeliverables,
  declarationFinder,
  deliverablesOf,
  keysOf,
  type PlacedDeliverable,
  planGraph,
  transitionsOf,
  wiringAt,
} from '../plan-graph.ts';
import { misread, warning } from '../problems.ts';
import type { PlanOptions } from '../shape.ts';
import { coerce, comparedType, whatItIs } from '../value.ts';

const undeclaredInsight = misread(
  'undeclared-insight',
  (keys: readonly string[], known: readonly string[]) => ({
    message: `No task collects ${quoted(keys)}. It has a value only if an agent records it as an insight in a goal state.`,
    hint: () =>
      near(keys, known) ??
      `Add a deliverable ${quoted(keys)} to make sure that the agent asks for it.`,
  }),
);

function quoted(keys: readonly string[]): string {
  return shortList(keys, (key) => `"${key}"`);
}

function near([key = '', ...others]: readonly string[], known: readonly string[]) {
  return others.length === 0 ? didYouMean(key, known) : undefined;
}

const undeclaredKey = misread(
  'undeclared-deliverable',
  (keys: readonly string[], known: readonly string[]) => ({
    message: `No task collects ${quoted(keys)}, so ${keys.length === 1 ? 'this condition' : 'these conditions'} can never hold.`,
    hint: () => near(keys, known) ?? `Add a deliverable ${quoted(keys)} to a task.`,
  }),
);

/** Reports conditions on keys that no task collects. In a plan with a goal state an agent may still record such a key. */
export const undeclaredKeys: PlanRule = ({ definition, report }) => {
  const declared = new Set(allDeliverables(definition).map(({ key }) => key));
  const known = [...declared];
  const collectsAnything = definition.states.some(({ type }) => type === 'goal');
  const kind = collectsAnything ? undeclaredInsight : undeclaredKey;
  const undeclared = simpleConditions(definition).filter(({ condition }) => {
    const key = keyOf(condition);
    return key !== undefined && key !== goalMarker && !declared.has(key);
  });
  // One finding per state for keys that are not misspellings: they probably miss the same task.
  const first = firstBy(undeclared, ({ condition }) => keyOf(condition)!);
  const topics = Array.from(first, ([key, { state }]): [string, string] => [
    key,
    nearestName(key, known) === undefined ? `state ${state.id}` : `key ${key}`,
  ]);
  const topicOf = new Map(topics);
  const keysOfTopic = groupedBy(first.keys(), (key) => topicOf.get(key)!);
  for (const { condition } of undeclared) {
    const topic = topicOf.get(keyOf(condition)!)!;
    report(kind(keysOfTopic.get(topic)!, known), condition.paths!.key, {
      topic,
      // A misspelt key does not follow from a broken declaration.
      ...(topic.startsWith('state') ? { follows: keysOf(definition) } : {}),
    });
  }
};

interface PlacedCondition {
  readonly condition: Condition;
  readonly state: State;
}

/** Every condition of the plan, including nested ones, with its state. Conditions of the whole plan get the first state. */
function simpleConditions(plan: Plan): PlacedCondition[] {
  const [first] = plan.states;
  const placed = (transitions: readonly Transition[], state: State): PlacedCondition[] =>
    transitions
      .flatMap(({ condition }) => (condition ? eachCondition(condition) : []))
      .map((condition) => ({ condition, state }));
  return [
    ...(first ? placed(plan.transitions ?? [], first) : []),
    ...plan.states.flatMap((state) => placed(state.transitions, state)),
  ];
}

const collectedTooLate = warning('collected-too-late', (key: string) => ({
  message: `"${key}" is not collected here, nor in any state that leads here, so this condition holds only if the person says it unasked.`,
  hint: 'Collect it in this state or in one before it.',
}));

/** Reports conditions on a value that is collected neither in their state nor in a state that leads to it. */
export const keysCollectedTooLate: PlanRule = ({ definition, report }) => {
  const { targets } = planGraph(definition);
  const statesOf = new Map<string, Set<string>>();
  for (const { deliverable, state } of definition.states.flatMap(deliverablesOf))
    statesOf.set(deliverable.key, (statesOf.get(deliverable.key) ?? new Set()).add(state.id));
  if (definition.states.some(({ type }) => type === 'goal')) return;
  if (statesOf.size * definition.states.length > mostSearches) return;
  const after = new Map<string, Set<string>>();
  const entered = reachableFrom([definition.initial_state_id], targets);
  // A transition of the whole plan is also tried in later states.
  for (const { condition, state } of simpleConditions({ ...definition, transitions: [] })) {
    if (!entered.has(state.id)) continue;
    const key = keyOf(condition);
    const collectors = key === undefined ? undefined : statesOf.get(key);
    if (key === undefined || !collectors || collectors.has(state.id)) continue;
    let reached = after.get(key);
    if (!reached) after.set(key, (reached = reachableFrom(collectors, targets)));
    if (!reached.has(state.id))
      report(collectedTooLate(key), condition.paths!.key, {
        follows: [...keysOf(definition), ...wiringAt(definition.statesAt)],
      });
  }
};

/** The most keys times states that this rule searches. Hand-written plans are far below. */
const mostSearches = 2_000_000;

const coercedValue = warning('coerced-value', (key: string, written: string, read: string) => ({
  message: `"${key}" is compared with ${written}, which is read as ${read}.`,
  hint: `Write ${read}.`,
}));

const impossibleValue = misread(
  'impossible-value',
  (key: string, value: string, possible: string, options: readonly string[]) => ({
    message: `"${key}" can never be ${value}: it is ${possible}.`,
    hint: () => didYouMean(value.replaceAll('"', ''), options),
  }),
);

const numericOnText = misread('numeric-on-text', (key: string, type: string) => ({
  message: `"${key}" is of type ${type}, so this numeric comparison holds only if the text is a number.`,
  hint: 'Declare the deliverable with "type": "number".',
}));

/** Reports expected values that the deliverable cannot have under any of its declarations, and values of another type. */
export const impossibleValues: PlanRule = ({ definition, report }) => {
  const declarationOf = declarationFinder(definition);
  const everywhere = new Map<string, Map<string, Deliverable>>();
  for (const one of allDeliverables(definition)) {
    const type = JSON.stringify([whatItIs(one), comparedType(one).enum_values]);
    everywhere.set(one.key, (everywhere.get(one.key) ?? new Map()).set(type, one));
  }
  for (const { condition, state } of simpleConditions(definition)) {
    const key = keyOf(condition) ?? '';
    const deliverable = declarationOf(state, key);
    if (!deliverable || !condition.paths || everywhere.get(key)!.size > mostTypes) continue;
    const { key: keyAt, value: valueAt } = condition.paths;
    const placesOf = (...fields: string[]) => fields.map((field) => [...deliverable.at, field]);
    const compared = comparedType(deliverable);
    if (compared.type === 'enum' && compared.enum_values.length === 0) continue;
    const all = [...everywhere.get(key)!.values()];
    const fits = (value: Json) => all.some((each) => coerce(value, comparedType(each)).fits);
    for (const value of valuesOf(condition) ?? []) {
      const written = JSON.stringify(value);
      const coerced = coerce(value, compared);
      if (coerced.fits && typeof coerced.value !== typeof value)
        report(coercedValue(key, written, JSON.stringify(coerced.value)), valueAt);
      else if (value === '') report(impossibleValue(key, written, 'never empty', []), valueAt);
      else if (!coerced.fits && !fits(value)) {
        const { enum_values: options } = compared;
        const follows = placesOf('type', 'enum_values', 'items');
        report(impossibleValue(key, written, whatItIs(compared), options), valueAt, { follows });
      }
    }
    const range = kindOf(condition).range?.(condition);
    if (range && all.every((each) => areDisjoint(range, numbersOf(each)))) {
      const comparison = conditionInWords(condition).slice(key.length + 1);
      const follows = placesOf('type', 'minimum', 'maximum');
      report(impossibleValue(key, comparison, whatItIs(deliverable), []), valueAt, { follows });
    }
    const isText = deliverable.type === 'string' || deliverable.type === 'enum';
    if (kindOf(condition).isNumeric && isText)
      report(numericOnText(key, deliverable.type), keyAt, { follows: placesOf('type') });
  }
};

/** The most types of one key with which its conditions are compared. Keys of hand-written plans have one or two. */
const mostTypes = 100;

/** The numbers that conditions can read from a deliverable. */
function numbersOf({ type, minimum, maximum }: Deliverable): NumberRange {
  const both = { withFrom: true, withTo: true };
  if (type === 'boolean') return { from: 0, to: 1, ...both };
  // A list is not a number.
  if (type === 'list') return { from: Infinity, to: -Infinity, ...both };
  return { from: minimum ?? -Infinity, to: maximum ?? Infinity, ...both };
}

const noWayOn = warning('no-way-on', (state: string, keys: readonly string[]) => ({
  message: `The state "${state}" can be complete while no transition holds: each transition waits for ${quoted(keys)}, which is optional.`,
  hint: 'Add a transition with "condition_type": "all_tasks_complete", or make the deliverable and its task required.',
}));

/** `1, 2 or 3`; a long list is cut. */
function shortList(words: readonly string[], toWord = (word: string) => word): string {
  const shown = words.slice(0, 8).map(toWord);
  const rest = words.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} or one of ${rest} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}

const uncoveredValue = warning(
  'uncovered-value',
  (state: string, key: string, values: readonly string[]) => ({
    message:
      values.length === 0
        ? `When "${key}" is any other text, no transition of "${state}" holds: the conversation stays there.`
        : `When "${key}" is ${shortList(values)}, no transition of "${state}" holds: the conversation stays there.`,
    hint: 'Add a transition for this value, or one with "condition_type": "all_tasks_complete" and a higher "priority" number.',
  }),
);

/**
 * Reports complete states that cannot be left for some collected value. A transition counts as possible for every value
 * that it does not exclude, so each finding is certain: with that value no transition holds.
 */
export const uncoveredValues: PlanRule = ({ definition, options, report }) => {
  // The limit on idle turns ends the conversation in any state.
  if (options.idleTurnLimit !== undefined) return;
  const { targets } = planGraph(definition);
  const declarationOf = declarationFinder(definition);
  const entered = reachableFrom([definition.initial_state_id], targets);
  for (const state of definition.states) {
    if (!entered.has(state.id) || state.type === 'goal' || state.transitions.length === 0) continue;
    const conditions = readConditions(transitionsOf(definition, state), (key) =>
      declarationOf(state, key),
    );
    if (!conditions) continue;
    const follows = ['transitions', 'tasks', 'type'].map((field) => [...state.at, field]);
    const path = [...state.at, 'transitions'];

    const open = keysLeftOpen(state, options);
    const certain = conditions.filter((condition) => !needsOneOf(condition, open));
    if (certain.length === 0) {
      const waiting = keysIn(conditions).filter((key) => open.has(key));
      report(noWayOn(state.id, waiting), path, { follows });
      continue;
    }
    for (const key of keysIn(certain).slice(0, mostKeys)) {
      const deliverable = declarationOf(state, key);
      if (!deliverable) continue;
      const uncovered = valuesToTry(key, deliverable, certain).filter((value) =>
        certain.every((condition) => excludes(condition, isValue(key, value))),
      );
      if (uncovered.length === 0) continue;
      report(uncoveredValue(state.id, key, inWords(deliverable.type, uncovered)), path, {
        follows: [...follows, deliverable.at],
      });
    }
  }
};

/** The values to show: all if they are few, one example of numbers, none of strings. */
function inWords(type: Deliverable['type'], values: readonly Json[]): readonly string[] {
  if (type === 'string') return [];
  const words = values.map((value) => JSON.stringify(value));
  return type === 'number' ? [`for example ${words[0]}`] : words;
}

function keysIn(conditions: readonly Condition[]): string[] {
  return [...new Set(conditions.flatMap(eachCondition).flatMap((one) => keyOf(one) ?? []))];
}

/** The most keys examined in one state. Plans written by hand branch on fewer. */
const mostKeys = 20;

/** The conditions of a state with values of the declared types; undefined when one could not be read. */
function readConditions(
  transitions: readonly Transition[],
  declarationOf: (key: string) => Deliverable | undefined,
): readonly Condition[] | undefined {
  const conditions = transitions.slice(0, 100).flatMap(({ condition }) => condition ?? []);
  if (conditions.length < transitions.length) return undefined;
  return conditions.map((condition) => withDeclaredValues(condition, declarationOf));
}

/** The keys that only optional deliverables of this state provide: it can be complete without them. */
function keysLeftOpen(state: State, { completion }: PlanOptions): ReadonlySet<string> {
  if (completion === 'all') return new Set();
  // A task without required deliverables is done once all of its deliverables are known.
  const isCertain = ({ deliverable, task }: PlacedDeliverable) =>
    task?.required === true &&
    (deliverable.required || task.deliverables.every(({ required }) => !required));
  const placed = deliverablesOf(state);
  const certain = new Set(placed.filter(isCertain).map(({ deliverable }) => deliverable.key));
  const keys = placed.map(({ deliverable }) => deliverable.key);
  return new Set(keys.filter((key) => !certain.has(key)));
}

function needsOneOf(condition: Condition, keys: ReadonlySet<string>): boolean {
  if (condition.type === 'all_of')
    return condition.conditions.some((child) => needsOneOf(child, keys));
  if (condition.type === 'any_of')
    return condition.conditions.every((child) => needsOneOf(child, keys));
  const key = keyOf(condition);
  return key !== undefined && keys.has(key);
}

function isValue(key: string, value: Json): Condition {
  return { type: 'deliverable_value', deliverable_key: key, expected_value: value };
}

/**
 * Every value of an enum or boolean; numbers at, between and beyond the limits of conditions, if they are accepted; a string that no
 * condition names.
 */
function valuesToTry(
  key: string,
  deliverable: Deliverable,
  conditions: readonly Condition[],
): readonly Json[] {
  const { type, enum_values } = deliverable;
  if (type === 'enum') return enum_values;
  if (type === 'boolean') return [true, false];
  // A list may contain several of the values.
  if (type === 'list') return [];
  const own = conditions.flatMap(eachCondition).filter((condition) => keyOf(condition) === key);
  if (type === 'string') {
    const texts = JSON.stringify(own);
    let other = 'another text';
    while (texts.includes(other)) other += ' still';
    return [other];
  }
  const limits = own.flatMap(limitsOf).toSorted((a, b) => a - b);
  const [least, most] = [limits[0], limits.at(-1)];
  if (least === undefined || most === undefined) return [];
  const between = limits.flatMap((limit, index) => [
    limit,
    (limit + (limits[index + 1] ?? limit)) / 2,
  ]);
  const numbers = [...new Set([least - 1, ...between, most + 1])];
  return numbers.filter((number) => coerce(number, deliverable).fits);
}

function limitsOf(condition: Condition): readonly number[] {
  const numbers = valuesOf(condition)?.filter((value) => typeof value === 'number');
  return numbers ?? kindOf(condition).limits?.(condition) ?? [];
}
