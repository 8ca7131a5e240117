import type { Chart, Json } from '@dramaturg/compiler';
import { nodesOf } from '@dramaturg/compiler/chart';
import type { ContextMigration } from '@dramaturg/compiler/machine';
import { once, renaming } from '@dramaturg/conversation';
import { own, type PlanContext, without } from '../context.ts';
import { type Deliverable, end } from '../definition.ts';
import { coerce, isSame } from '../value.ts';
import { reportedValue } from './collect.ts';
import type { PlanMeta, StateMeta } from './state.ts';

/** Renames states, tasks and deliverables, and adapts values that the new version of a plan declares differently. */
export const migration: ContextMigration<PlanContext> = {
  renamed: (context, names) => {
    const { state, keys, record } = renaming(names);
    const deliverables = (records: PlanContext['deliverables']) =>
      record(records, (one) => ({ ...one, state: state(one.state) }));
    const { volunteered, answered, reopened, cameFrom } = context;
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
      cameFrom: cameFrom && state(cameFrom),
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
          const { validate } = declared;
          if (validate !== undefined && validate !== checked) {
            losses.push(`The value of "${key}", which "${validate}" has not checked.`);
            return false;
          }
          if (!isDeclaredAlike(before.deliverables.get(key), declared))
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
    ...Object.keys(without(before.deliverables, Object.keys(after.deliverables))).map(
      (deliverable) => ({ type: 'deliverable.withdrawn', deliverable, state: after.state }),
    ),
    ...Object.entries(after.deliverables)
      .filter(([key, { value }]) => !isSame(own(before.deliverables, key)?.value, value))
      .map(([key, record]) => reportedValue('deliverable.collected', key, record, after.state)),
  ],
};

/** The states and deliverables of a chart. Many instances are migrated from one chart to another. */
const declarationsIn = once((chart: Chart) => {
  const states = new Set<string>();
  const deliverables = new Map<string, Deliverable>();
  for (const { meta = {} } of nodesOf(chart)) {
    const {
      id,
      tasks = [],
      goal,
      deliverables: ofPlan = [],
    } = meta as unknown as Partial<StateMeta> & Pick<PlanMeta, 'deliverables'>;
    if (id !== undefined) states.add(id);
    const all = [...tasks.map((task) => task.deliverables), goal?.deliverables ?? [], ofPlan];
    for (const each of all.flat()) deliverables.set(each.key, each);
  }
  return { states, deliverables };
});

/** A stored value is not converted. */
function fits(value: Json, type: Deliverable): boolean {
  const coerced = coerce(value, type);
  return coerced.fits && isSame(coerced.value, value);
}

/** Texts may differ: they do not change the meaning of the value. */
function isDeclaredAlike(before: Deliverable | undefined, { type, enum_values }: Deliverable) {
  const isSameType = before?.type === type;
  return isSameType && JSON.stringify(before.enum_values) === JSON.stringify(enum_values);
}
