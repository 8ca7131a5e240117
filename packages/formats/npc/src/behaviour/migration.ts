import type { Chart } from '@dramaturg/compiler';
import { nodesOf } from '@dramaturg/compiler/chart';
import type { ContextMigration } from '@dramaturg/compiler/machine';
import { once, renaming } from '@dramaturg/conversation';
import type { NpcContext } from '../context.ts';

/** Renames scenarios and states, and drops scenarios that the new version does not have. */
export const migration: ContextMigration<NpcContext> = {
  renamed: (context, names) => {
    const { state: name, record } = renaming(names);
    return {
      ...context,
      machine: name(context.machine),
      state: name(context.state),
      voice: name(context.voice),
      unlocked: context.unlocked.map(name),
      justUnlocked: context.justUnlocked.map(name),
      results: context.results.map((result) => ({
        ...result,
        machine: name(result.machine),
        state: name(result.state),
      })),
      variables: record(context.variables),
    };
  },
  fitted: (context, { to }) => {
    const scenarios = scenariosIn(to);
    const isKnown = (machine: string) => scenarios.has(machine);
    const gone = context.unlocked.filter((machine) => !isKnown(machine));
    return {
      context: {
        ...context,
        unlocked: context.unlocked.filter(isKnown),
        justUnlocked: context.justUnlocked.filter(isKnown),
      },
      losses: gone.map((machine) => `The unlocked scenario "${machine}", which is gone.`),
    };
  },
};

const scenariosIn = once(
  (chart: Chart): ReadonlySet<unknown> =>
    new Set(nodesOf(chart).map(({ meta }) => meta?.['machine_key'])),
);
