import type { Effects } from '@dramaturg/compiler/format';
import { helpRequested } from '@dramaturg/conversation';
import { freshVisit, own, progressed, type PlanContext, type TaskStatus } from '../context.ts';
import { end, restart as restartTarget } from '../definition.ts';
import type { Condition } from '../conditions/table.ts';
import { internal } from '../names.ts';
import { decided } from './correction.ts';
import { occasionOf } from './guards.ts';
import {
  currentState,
  deliverablesOf,
  oneByOne,
  type Place,
  type PlanActions,
  type PlanScope,
  stateMeta,
  type TaskMeta,
  taskStatus,
} from './meta.ts';

/** Actions that move through the plan: states entered and left, tasks done and skipped. */

export const visitActions = {
  /** Takes a transition: remembers the state that was left, and tries the transitions of the new state next. */
  follow: (scope, { from, to, outcome }: { from: string; to: string; outcome?: string }) => ({
    context: {
      ...(to === restartTarget ? {} : decided(scope, from, to)),
      ...(outcome && { outcome }),
      visited: [...new Set([...scope.context.visited, from, to])],
      cameFrom: scope.context.cameFrom ?? from,
    },
    raise: [{ type: internal.evaluate }],
  }),

  /**
   * Enters a state. Tasks start again on each return, and their questions are asked again. A state that leads back to itself keeps
   * its turn count. A state that other states lead back to keeps its count of messages without progress. Spec:
   * docs/formats/plan.md#turn-counts
   */
  enterState: ({ context, meta }, { state }: { state: string }) => {
    const { title } = stateMeta(meta, state);
    const isFirst = Object.keys(context.tasks).length === 0;
    return {
      context: entered({ context, meta }, state),
      emit: [{ type: 'state.entered', state, title, ...(isFirst ? {} : { from: context.state }) }],
    };
  },

  /** Keeps the last state, which is part of the outcome. */
  endPlan: ({ context }) => ({
    context: {
      state: end,
      lastState: context.state,
      outcome: context.outcome ?? 'completed',
      visit: freshVisit,
    },
  }),

  /** Asks for a person. The plan stays in its state. */
  handOver: (scope, { condition, reason }: { condition: Condition; reason?: string }) => {
    const { handed = [], state } = scope.context;
    return {
      context: {
        handOver: reason ?? '',
        handed: [...handed, occasionOf(scope, condition)].slice(-occasionsMax),
      },
      raise: [{ type: internal.settled }],
      emit: [helpRequested(reason, state)],
    };
  },

  completeTask: (scope, { task }: { task: string }) => setStatus(scope, task, 'completed'),

  skipTask: (scope, { task }: { task: string }) => setStatus(scope, task, 'skipped'),

  completeNamedTask: (scope) => setStatus(scope, scope.event['task'] as string, 'completed'),

  /** Starts again with nothing known. */
  restart: () => ({
    context: {
      deliverables: {},
      volunteered: {},
      answered: [],
      reopened: [],
      handed: [],
      summary: undefined,
      refused: [],
      decisions: [],
      tasks: {},
      visit: freshVisit,
      state: '',
    },
  }),

  /** Skips every task of the state that is not done yet. */
  skipRest: (scope, _params: { state: string }) => {
    const { context: now } = scope;
    const isOpen = ({ id }: TaskMeta) => taskStatus(now, now.state, id) === undefined;
    const open = currentState(scope).tasks.filter(isOpen);
    return oneByOne(now, open, (context, { id }) =>
      setStatus({ ...scope, context }, id, 'skipped'),
    );
  },
} satisfies PlanActions;

/**
 * The changes on entering a state. Skipped optional tasks stay skipped; an answer is asked for again. Spec:
 * docs/formats/plan.md#return
 */
export function entered(
  { context, meta }: Place,
  state: string,
): Pick<PlanContext, 'state' | 'visit' | 'tasks' | 'reopened' | 'tried'> {
  const again = own(context.tasks, state) !== undefined;
  const isSame = context.state === state;
  const { turns, idleTurns, digressions } = isSame ? context.visit : freshVisit;
  const { idleBefore = 0, idleTurns: idle } = context.visit;
  const before = again ? idleBefore + (isSame ? 0 : idle) : 0;
  const next = stateMeta(meta, state);
  const asks = again && next.on_reentry !== 'keep';
  const skipped = next.tasks.filter(
    ({ id, required }) => !required && taskStatus(context, state, id) === 'skipped',
  );
  const kept = asks ? skipped.map(({ id }) => [id, 'skipped' as const]) : [];
  const { answered = [], reopened = [] } = context;
  const keys = deliverablesOf(next)
    .filter(({ key, ask_again }) => (asks || ask_again) && answered.includes(key))
    .map(({ key }) => key);
  return {
    state,
    ...(context.tried && { tried: {} }),
    visit: {
      ...freshVisit,
      again,
      turns,
      idleTurns,
      ...(digressions && { digressions }),
      ...(before > 0 && { idleBefore: before }),
    },
    tasks: { ...context.tasks, [state]: Object.fromEntries(kept) },
    ...(keys.length > 0 && { reopened: [...new Set([...reopened, ...keys])] }),
  };
}

/** The most occasions that are remembered. */
const occasionsMax = 20;

function setStatus(
  { context, event }: PlanScope,
  task: string,
  status: TaskStatus,
): Effects<PlanContext> {
  const { state } = context;
  const statuses = own(context.tasks, state) ?? {};
  const progress = { noted: 'progress', visit: progressed(context) } as const;
  return {
    context: {
      tasks: { ...context.tasks, [state]: { ...statuses, [task]: status } },
      // Completing a task by previously known values records nothing, so it does not count as progress.
      ...(updates.has(event.type) ? progress : {}),
    },
    emit: [{ type: `task.${status}`, task, state }],
  };
}

/** Events with something to record. */
const { set, complete, skip, skipState } = internal;
const updates = new Set<string>([set, complete, skip, skipState]);
