import type { Chart } from '@dramaturg/compiler';
import { type LoadedDefinitions, readStanding } from '@dramaturg/host/engine';
import { behaviours } from '../host.ts';
import { type OpenTask, openTasksIn } from '../testing/open-tasks.ts';
import { explored, type Moment, type Stored } from './moment.ts';
import { resourcesIn } from './resources-in.ts';

/** A task of an instance or of a child of it, which waits until its token comes back. */
export interface OpenTaskAt extends OpenTask {
  readonly instance: string;
  /** The definition of the child. */
  readonly child?: string;
  /** What was called with the token. */
  readonly resource: string;
}

/** The tasks that wait for their tokens at a moment. */
export function openTasksAt(
  moment: Moment,
  definitionsOf: (child: string | undefined) => LoadedDefinitions,
): readonly OpenTaskAt[] {
  return [{ ...moment, id: explored, definition: undefined }, ...moment.children].flatMap(
    (stored) => {
      const { id, definition: child } = stored;
      if (stored.ended || !hasToken(stored)) return [];
      const { flow, lifecycle } = definitionsOf(child);
      if (!flow) return [];
      const { waits } = readStanding(
        stored.state,
        false,
        { flow: readable(flow.chart), lifecycle: readable(lifecycle.chart) },
        behaviours,
      );
      return openTasksIn(waits).map((task) => ({
        ...task,
        instance: id,
        ...(child === undefined ? {} : { child }),
        resource: resourcesIn(flow.chart).get(task.state) ?? task.state,
      }));
    },
  );
}

/** Whether a machine, or that of an item, may have given a token away. */
function hasToken({ state: { flow = null } }: Pick<Stored, 'state'>): boolean {
  return JSON.stringify(flow).includes('"token":');
}

/** Positions in the text are not needed. */
function readable(chart: Chart) {
  return { chart, locate: () => undefined };
}
