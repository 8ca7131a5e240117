import type { Action, Effects } from '@dramaturg/compiler';
import { freshVisit, own, type PlanContext, type TaskStatus } from '../context.ts';
import { end } from '../definition.ts';
import { internal } from '../names.ts';
import { currentState, type PlanScope, stateMeta } from './meta.ts';

/** Actions that move through the plan: states entered and left, tasks done and skipped. */

type PlanAction<Params = unknown> = Action<PlanContext, PlanScope['event'], Params>;

/** Takes a transition: remembers where it was, and has the transitions of the new state tried in turn. */
const follow: PlanAction<{ from: string; to: string }> = ({ context }, { from, to }) => ({
  context: {
    visited: [...new Set([...context.visited, from, to])],
    cameFrom: context.cameFrom ?? from,
  },
  raise: [{ type: internal.evaluate }],
});

/** Tasks begin anew on each return; what was collected is kept. */
const enterState: PlanAction<{ state: string }> = ({ context, meta }, { state }) => {
  const again = own(context.tasks, state) !== undefined;
  const { title } = stateMeta(meta, state);
  return {
    context: { state, visit: { ...freshVisit, again }, tasks: { ...context.tasks, [state]: {} } },
    emit: [
      {
        type: 'state.entered',
        state,
        title,
        ...(context.cameFrom === null ? {} : { from: context.cameFrom }),
      },
    ],
  };
};

/** The plan's last state stays known: it is part of the outcome. */
const endPlan: PlanAction = ({ context }) => ({
  context: { state: end, lastState: context.state, outcome: 'completed', visit: freshVisit },
});

const completeTask: PlanAction<{ task: string }> = ({ context }, { task }) =>
  setStatus(context, task, 'completed');
const skipTask: PlanAction<{ task: string }> = ({ context }, { task }) =>
  setStatus(context, task, 'skipped');
const completeNamedTask: PlanAction = ({ context, event }) =>
  setStatus(context, event['task'] as string, 'completed');

/** Everything in the state that is not done yet. */
const skipRest: PlanAction = (scope) => {
  const open = currentState(scope).tasks.filter(
    ({ id }) => own(own(scope.context.tasks, scope.context.state) ?? {}, id) === undefined,
  );
  return open.reduce<Effects<PlanContext>>((effects, { id }) => {
    const next = setStatus({ ...scope.context, ...effects.context }, id, 'skipped');
    return {
      context: { ...effects.context, ...next.context },
      emit: [...(effects.emit ?? []), ...(next.emit ?? [])],
    };
  }, {});
};

function setStatus(context: PlanContext, task: string, status: TaskStatus): Effects<PlanContext> {
  const { state } = context;
  const statuses = own(context.tasks, state) ?? {};
  return {
    context: {
      tasks: { ...context.tasks, [state]: { ...statuses, [task]: status } },
      noted: 'progress',
      visit: { ...context.visit, idleTurns: 0 },
    },
    emit: [{ type: `task.${status}`, task, state }],
  };
}

export const visitActions = {
  follow,
  enterState,
  endPlan,
  completeTask,
  completeNamedTask,
  skipTask,
  skipRest,
};
