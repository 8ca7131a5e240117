import type { Effects, Guard } from '@dramaturg/compiler/format';
import { helpRequested } from '@dramaturg/conversation';
import { eachCondition, keyOf } from '../conditions/condition.ts';
import type { Condition } from '../conditions/table.ts';
import {
  type Decision,
  freshVisit,
  own,
  type PlanContext,
  progressed,
  type TaskStatus,
  type Visit,
  without,
} from '../context.ts';
import { end, human, restart as restartTarget } from '../definition.ts';
import { internal } from '../names.ts';
import { isSame } from '../value.ts';
import { factsOf, guards, occasionOf } from './guards.ts';
import {
  currentState,
  deliverablesOf,
  oneByOne,
  type Place,
  type PlanAction,
  type PlanActions,
  type PlanScope,
  type StateMeta,
  stateMeta,
  type TaskMeta,
  taskStatus,
} from './state.ts';

/**
 * A correction returns to the decisions that depended on the value. The decisions of this visit to the plan are repeated with the
 * corrected values, oldest first. The first decision that another transition wins takes that transition. Owns `decisions` and
 * `corrected` of the context. Spec: docs/formats/plan.md#corrections
 */

type Choice = NonNullable<StateMeta['decides']>[number];

/** The most decisions that are repeated: older ones are forgotten. */
const decisionsMax = 20;

/** Notes a decision between several targets, before the decision changes anything. */
function decided(scope: PlanScope, from: string, to: string): Partial<PlanContext> {
  const { decides } = stateMeta(scope.meta, from);
  if (!decides) return {};
  const { decisions = [], visit, visited, tasks } = scope.context;
  const { valueOf } = factsOf(scope);
  const values = decides.flatMap(({ guard: { type, params } }) =>
    type === 'idleTurns' ? [] : eachCondition({ type, ...params } as Condition),
  );
  const read = values.flatMap((condition) => {
    const key = keyOf(condition);
    const value = key === undefined ? undefined : valueOf(key);
    return value === undefined ? [] : [[key!, value] as const];
  });
  const ofState = { tasks: own(tasks, from) ?? {}, values: Object.fromEntries(read) };
  const decision: Decision = { from, to, visit, visited, ...ofState };
  return { decisions: [...decisions, decision].slice(-decisionsMax) };
}

/** The effects of an update's corrections at its end; undefined when every decision is unchanged. */
export function repeatDecisions({ context, ...rest }: PlanScope): Effects<PlanContext> | undefined {
  const { corrected, decisions = [] } = context;
  if (!corrected) return undefined;
  const changed = {
    corrected: undefined,
    decisions: decisions.map((decision) => withCorrections(decision, context)),
  };
  const place = { ...rest, context: { ...context, ...changed } };
  const found = otherWay(place);
  if (!found) return { context: changed };
  const { to } = found.choice;
  const done = taskDoneAfter(place, found.index);
  if (to !== human && !done) return { context: changed, raise: [{ type: internal.correct, to }] };
  const reason = done
    ? `A correction changes what led to the task "${done.id}", which an agent has done.`
    : found.choice.reason;
  // The plan stays in its state.
  return {
    context: { ...changed, handOver: reason ?? '' },
    emit: [helpRequested(reason, context.state)],
  };
}

/** A task that an agent has done in a state that the correction of a decision leaves: its effects remain. */
function taskDoneAfter({ context, meta }: PlanScope, decision: number): TaskMeta | undefined {
  const done = statesLeft(context, decision).flatMap((state) =>
    stateMeta(meta, state).tasks.filter(
      ({ id, agent }) => agent !== undefined && taskStatus(context, state, id) === 'completed',
    ),
  );
  return done[0];
}

/** The states that are left when a decision takes another transition. */
function statesLeft({ decisions = [], tasks }: PlanContext, decision: number): string[] {
  const stays = new Set(decisions.slice(0, decision + 1).map(({ from }) => from));
  // States are added in the order in which they are first entered.
  const order = Object.keys(tasks);
  const first = order.indexOf(decisions[decision]!.from);
  return order.filter((state, at) => !stays.has(state) && at >= first);
}

/** A decision with the corrected values in place of the values that it was made with. */
function withCorrections(decision: Decision, context: PlanContext): Decision {
  const { deliverables, volunteered = {}, corrected = {} } = context;
  const values = Object.entries(decision.values).flatMap(([key, value]) => {
    const isCorrected = Object.hasOwn(corrected, key) && isSame(corrected[key], value);
    if (!isCorrected) return [[key, value]];
    const now = own(deliverables, key) ?? own(volunteered, key);
    return now ? [[key, now.value]] : [];
  });
  return { ...decision, values: Object.fromEntries(values) as Decision['values'] };
}

/** The first decision that another transition wins. */
function otherWay(scope: PlanScope): { index: number; choice: Choice } | undefined {
  for (const [index, decision] of (scope.context.decisions ?? []).entries()) {
    const choice = choiceAt(scope, decision);
    if (choice && choice.to !== decision.to) return { index, choice };
  }
  return undefined;
}

function choiceAt(scope: PlanScope, decision: Decision): Choice | undefined {
  const { from, visit, visited, values } = decision;
  const records = Object.entries(values).map(([key, value]) => [key, { value, state: from }]);
  const deliverables = Object.fromEntries(records) as PlanContext['deliverables'];
  const tasks = { [from]: decision.tasks };
  const then = { state: from, visit, visited, tasks, deliverables, volunteered: {}, reopened: [] };
  const place = { ...scope, context: { ...scope.context, ...then } };
  return stateMeta(scope.meta, from).decides?.find(({ guard: { type, params } }) => {
    const holds = guards[type] as Guard<PlanContext, PlanScope['event'], object>;
    return holds(place, params);
  });
}

/** Takes the other transition. Values that were answered only on the abandoned way are no longer in force. */
const goBack: PlanAction = (scope) => {
  const { context } = scope;
  const { decisions = [], deliverables, tasks, answered = [] } = context;
  const { index, choice } = otherWay(scope)!;
  const { to, outcome } = choice;
  const { [index]: decision } = decisions;
  const left = statesLeft(context, index);
  const dropped = answered.filter((key) => left.includes(own(deliverables, key)?.state ?? ''));
  return {
    context: {
      ...(outcome && { outcome }),
      decisions: [...decisions.slice(0, index), { ...decision!, to }],
      deliverables: without(deliverables, dropped),
      tasks: without(tasks, left),
      answered: answered.filter((key) => !dropped.includes(key)),
      visit: freshVisit,
      visited: [decision!.from, to],
      cameFrom: context.cameFrom ?? context.state,
    },
    raise: [{ type: internal.evaluate }],
    emit: dropped.map((deliverable) => ({
      type: 'deliverable.withdrawn',
      deliverable,
      state: context.state,
    })),
  };
};

export const correctionActions = { goBack };

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
  const stays = context.state === state;
  const { turns, idleTurns, digressions }: Visit = stays ? context.visit : freshVisit;
  const { idleBefore = 0, idleTurns: idle } = context.visit;
  const before = again ? idleBefore + (stays ? 0 : idle) : 0;
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
