import { type Chart, isRecord, type Json } from '@dramaturg/compiler';
import { nodesOf } from '@dramaturg/compiler/chart';
import type { ContextMigration } from '@dramaturg/compiler/machine';
import { once } from '@dramaturg/conversation';
import { own, type PlanContext } from '../context.ts';
import { end, type ValueType } from '../definition.ts';
import { coerce, isSame } from '../value.ts';
import { reportedValue } from './collect.ts';

/** Renames states, tasks and deliverables, and adapts values that the new version of a plan declares differently. */
export const migration: ContextMigration<PlanContext> = {
  renamed: (context, { states, data }) => {
    const state = (name: string) => own(states, name) ?? name;
    const deliverables = (records: PlanContext['deliverables']): PlanContext['deliverables'] =>
      Object.fromEntries(
        Object.entries(records).flatMap(([key, record]) => {
          const name = Object.hasOwn(data, key) ? data[key]! : key;
          return name === null ? [] : [[name, { ...record, state: state(record.state) }]];
        }),
      );
    const { volunteered, answered, reopened } = context;
    const keys = (list: readonly string[]) =>
      list.flatMap((key) => (Object.hasOwn(data, key) ? (data[key] ?? []) : key));
    return {
      ...context,
      // The decisions were between transitions of the old version.
      ...(context.decisions && { decisions: [] }),
      ...(answered && { answered: keys(answered) }),
      ...(reopened && { reopened: keys(reopened) }),
      state: state(context.state),
      visited: context.visited.map(state),
      tasks: Object.fromEntries(
        Object.entries(context.tasks).map(([name, tasks]) => [
          state(name),
          Object.fromEntries(Object.entries(tasks).map(([task, status]) => [state(task), status])),
        ]),
      ),
      deliverables: deliverables(context.deliverables),
      ...(volunteered && { volunteered: deliverables(volunteered) }),
      addressed: state(context.addressed),
      cameFrom: context.cameFrom === null ? null : state(context.cameFrom),
      lastState: state(context.lastState),
    };
  },
  fitted: (context, { from, to }) => {
    const [before, after] = [declarationsIn(from), declarationsIn(to)];
    const losses: string[] = [];
    const notes: string[] = [];
    const fitted = (records: PlanContext['deliverables']): PlanContext['deliverables'] =>
      Object.fromEntries(
        Object.entries(records).filter(([key, { value, discovered, checked }]) => {
          const declared = after.deliverables.get(key);
          if (!declared) {
            if (!discovered) notes.push(`"${key}" is not declared any more. Its value is kept.`);
            return true;
          }
          if (!fits(value, declared)) {
            losses.push(`The value of "${key}", which does not fit its new declaration.`);
            return false;
          }
          if (declared.rule !== undefined && declared.rule !== checked) {
            losses.push(`The value of "${key}", which "${declared.rule}" has not checked.`);
            return false;
          }
          if (before.deliverables.get(key)?.text !== declared.text)
            notes.push(`"${key}" is declared otherwise. Its value is kept.`);
          return true;
        }),
      );
    const { volunteered, cameFrom } = context;
    const exists = (state: string) => state === end || after.states.has(state);
    return {
      context: {
        ...context,
        visited: context.visited.filter(exists),
        cameFrom: cameFrom !== null && exists(cameFrom) ? cameFrom : null,
        deliverables: fitted(context.deliverables),
        ...(volunteered && { volunteered: fitted(volunteered) }),
      },
      losses,
      notes,
    };
  },
  reported: (before, after) => [
    ...Object.keys(before.deliverables)
      .filter((key) => !Object.hasOwn(after.deliverables, key))
      .map((deliverable) => ({
        type: 'deliverable.withdrawn',
        deliverable,
        state: after.state,
      })),
    ...Object.entries(after.deliverables)
      .filter(([key, { value }]) => {
        const earlier = Object.hasOwn(before.deliverables, key) && before.deliverables[key];
        return !earlier || !isSame(earlier.value, value);
      })
      .map(([key, record]) => ({
        type: 'deliverable.collected',
        ...reportedValue(key, record, after.state),
      })),
  ],
};

interface Declared {
  readonly type: ValueType;
  /** The rule of the program that checks it. */
  readonly rule: string | undefined;
  /** The whole declaration, to compare. */
  readonly text: string;
}

interface Declarations {
  readonly states: ReadonlySet<string>;
  readonly deliverables: ReadonlyMap<string, Declared>;
}

/** The declarations in a chart's nodes. Many instances are migrated from one chart to another. */
const declarationsIn = once((chart: Chart): Declarations => {
  const states = new Set<string>();
  const deliverables = new Map<string, Declared>();
  const declare = (list: unknown) => {
    for (const each of Array.isArray(list) ? (list as unknown[]) : []) {
      if (!isRecord(each) || typeof each['key'] !== 'string') continue;
      const { key, type, enum_values: values, validate } = each;
      // Texts may differ: they do not change the meaning of the value.
      const text = JSON.stringify([type, values]);
      deliverables.set(key, {
        type: each as unknown as ValueType,
        rule: typeof validate === 'string' ? validate : undefined,
        text,
      });
    }
  };
  for (const { meta = {} } of nodesOf(chart)) {
    const { id, tasks, goal, deliverables: ofPlan } = meta;
    if (typeof id === 'string') states.add(id);
    for (const task of Array.isArray(tasks) ? (tasks as unknown[]) : [])
      if (isRecord(task)) declare(task['deliverables']);
    if (isRecord(goal)) declare(goal['deliverables']);
    declare(ofPlan);
  }
  return { states, deliverables };
});

/** A stored value is not converted. */
function fits(value: Json, { type }: Declared): boolean {
  const coerced = coerce(value, type);
  return coerced.fits && isSame(coerced.value, value);
}
