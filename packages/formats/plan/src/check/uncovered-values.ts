import type { Json } from '@dramaturg/compiler';
import { reachableFrom } from '@dramaturg/compiler/chart';
import { eachCondition, keyOf } from '../conditions/condition.ts';
import { withDeclaredValues } from '../conditions/declared-values.ts';
import { type Condition, kindOf } from '../conditions/table.ts';
import { declarationFinder, deliverablesOf } from '../declarations.ts';
import type { Deliverable, PlanOptions, State, Transition } from '../definition.ts';
import { noWayOn, uncoveredValue } from '../diagnostics/transitions.ts';
import { planGraph, transitionsOf } from '../plan-graph.ts';
import { excludes, valuesOf } from './implication.ts';
import type { PlanRule } from './rule.ts';

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
      const keys = conditions.flatMap(eachCondition).flatMap((one) => keyOf(one) ?? []);
      report(
        noWayOn(
          state.id,
          [...new Set(keys)].filter((key) => open.has(key)),
        ),
        path,
        { follows },
      );
      continue;
    }
    const keys = new Set(certain.flatMap(eachCondition).flatMap((one) => keyOf(one) ?? []));
    for (const key of [...keys].slice(0, mostKeys)) {
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
  const placed = deliverablesOf(state);
  const certain = new Set(
    placed
      .filter(({ deliverable, task }) => deliverable.required && task?.required === true)
      .map(({ deliverable }) => deliverable.key),
  );
  // A task without required deliverables is done once all of its deliverables are known.
  for (const { deliverable, task } of placed)
    if (task?.required === true && task.deliverables.every(({ required }) => !required))
      certain.add(deliverable.key);
  return new Set(
    placed.map(({ deliverable }) => deliverable.key).filter((key) => !certain.has(key)),
  );
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

/** Every value of an enum or boolean; numbers at, between and beyond the limits of conditions; a string that no condition names. */
function valuesToTry(
  key: string,
  { type, enum_values }: Deliverable,
  conditions: readonly Condition[],
): readonly Json[] {
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
  return [...new Set([least - 1, ...between, most + 1])];
}

function limitsOf(condition: Condition): readonly number[] {
  const numbers = valuesOf(condition)?.filter((value) => typeof value === 'number');
  return numbers ?? kindOf(condition).limits?.(condition) ?? [];
}
