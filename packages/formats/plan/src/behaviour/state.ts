import type { JsonObject } from '@dramaturg/compiler';
import type { NodeMeta } from '@dramaturg/compiler/chart';
import type { Action, Effects, Guard, Scope } from '@dramaturg/compiler/format';
import { type HandledEvent, once } from '@dramaturg/conversation';
import type { Condition } from '../conditions/table.ts';
import { type DeliverableRecord, own, type PlanContext, type TaskStatus } from '../context.ts';
import {
  type Deliverable,
  goalTask,
  type Plan,
  type SessionField,
  type State,
  type StateType,
  type Task,
} from '../definition.ts';
import { planNode, stateNode } from '../names.ts';
import { firstByKey } from '../plan-graph.ts';
import type { PlanOptions } from '../shape.ts';
import { valueSchema } from '../data-types.ts';

/** The data that behaviour is evaluated against. */
export type PlanScope = Scope<PlanContext, HandledEvent>;
/** A moment of a conversation, without an event. */
export type Place = Pick<PlanScope, 'context' | 'meta'>;
export type TimedPlace = Pick<PlanScope, 'context' | 'meta' | 'world'>;
export type PlanAction<Params = unknown> = Action<PlanContext, HandledEvent, Params>;
export type PlanActions = Readonly<Record<string, Action<PlanContext, HandledEvent>>>;
export type PlanGuard = Guard<PlanContext, HandledEvent>;

export type TaskMeta = Omit<Task, 'at'>;

/** A state as stored in the meta of its node. */
export interface StateMeta extends Partial<Pick<State, 'description' | 'goal' | 'on_reentry'>> {
  readonly id: string;
  readonly title: string;
  readonly type: StateType;
  readonly tasks: readonly TaskMeta[];
  /** No transition leaves it. */
  readonly terminal?: boolean;
  /** Its transitions, if they lead to several targets: a correction repeats the decision. */
  readonly decides?: readonly {
    readonly to: string;
    readonly guard: { readonly type: Condition['type'] | 'idleTurns'; readonly params: JsonObject };
    readonly outcome?: string;
    readonly reason?: string;
  }[];
  /** The other states that its transitions lead to. */
  readonly leads_to?: readonly string[];
}

/** The plan as stored in the meta of its region. `deliverables` are recorded in every state, and no task asks for them. */
export interface PlanMeta
  extends
    Pick<Plan, 'title' | 'on_end' | 'deliverables'>,
    Partial<Pick<Plan, 'description' | 'system_prompt' | 'language' | 'farewell_message'>> {
  readonly session_context?: readonly Pick<SessionField, 'id' | 'label'>[];
  /** These deliverables, and those that conditions of the whole plan read. */
  readonly heard?: readonly Deliverable[];
  readonly completion: PlanOptions['completion'];
}

type Metas = ReadonlyMap<string, NodeMeta>;

export function planMeta(meta: Metas): PlanMeta {
  return meta.get(`region:${planNode}`) as unknown as PlanMeta;
}

const noState: StateMeta = { id: '', title: '', type: 'loose', tasks: [] };

/** The texts and tasks of a state; the end of the plan has none. */
export function stateMeta(meta: Metas, id: string): StateMeta {
  const state = meta.get(stateNode(id));
  return state && 'tasks' in state ? (state as unknown as StateMeta) : noState;
}

/** All states, in the author's order. */
export function statesOf(meta: Metas): readonly StateMeta[] {
  return [...meta].flatMap(([id, node]) =>
    id.startsWith('state:') && 'tasks' in node ? [node as unknown as StateMeta] : [],
  );
}

export function currentState({ context, meta }: Place): StateMeta {
  return stateMeta(meta, context.state);
}

/** Every deliverable that the state declares in its tasks and its goal, each key once. */
export function deliverablesOf(state: StateMeta): Deliverable[] {
  const ofGoal = state.type === 'goal' ? (state.goal?.deliverables ?? []) : [];
  const all = [...state.tasks.flatMap(({ deliverables }) => deliverables), ...ofGoal];
  return [...firstByKey(all).values()];
}

/** Whether the current state declares a key. */
export function isDeclaredHere(scope: Place, key: string): boolean {
  return deliverablesOf(currentState(scope)).some((deliverable) => deliverable.key === key);
}

/** Whether the person is asked for a deliverable. The agent fulfils the others by what it says. */
export function isOfPerson({ source }: Deliverable): boolean {
  return source !== 'agent';
}

export function taskStatus(
  { tasks }: PlanContext,
  state: string,
  task: string,
): TaskStatus | undefined {
  return own(own(tasks, state) ?? {}, task);
}

/**
 * The value that conditions see. A value said before its turn counts, too, unless the person must confirm it, or it is for a
 * later task of the current state: such a value moves nothing before its turn.
 */
export function inForce(
  scope: Place,
  { key, confirm }: Pick<Deliverable, 'key' | 'confirm'>,
): DeliverableRecord | undefined {
  const { deliverables, volunteered = {} } = scope.context;
  const isHere = isDeclaredHere(scope, key);
  const known = isReopened(scope.context, key) ? undefined : own(deliverables, key);
  return known ?? (confirm || isHere ? undefined : own(volunteered, key));
}

/** Whether a value is known as a fact. Tasks do not wait for insights of a goal state. */
export function isCollected(context: PlanContext, key: string): boolean {
  const record = own(context.deliverables, key);
  return record !== undefined && record.discovered !== true && !isReopened(context, key);
}

export function isReopened({ reopened = [] }: PlanContext, key: string): boolean {
  return reopened.includes(key);
}

/** The effects of an action for each item, which sees the changes of the items before. */
export function oneByOne<Item>(
  context: PlanContext,
  items: readonly Item[],
  act: (context: PlanContext, item: Item) => Effects<PlanContext>,
): Effects<PlanContext> {
  return items.reduce<Effects<PlanContext>>((before, item) => {
    const next = act({ ...context, ...before.context }, item);
    return {
      context: { ...before.context, ...next.context },
      emit: [...(before.emit ?? []), ...(next.emit ?? [])],
    };
  }, {});
}

/** The declaration of a key: of the current state, else of the state in which it was collected, else of the nearest state ahead. */
export function declarationOf(scope: Place, key: string): Deliverable | undefined {
  const { context, meta } = scope;
  const inState = (id: string) =>
    deliverablesOf(stateMeta(meta, id)).find((deliverable) => deliverable.key === key);
  const record = own(context.deliverables, key);
  return inState(context.state) ?? (record && inState(record.state)) ?? ahead(scope).get(key);
}

/**
 * The most deliverables that are taken before their turn, and the most characters of their schemas: every extraction contains all
 * of them. Deliverables further ahead are asked for when their turn comes. Spec: docs/formats/plan.md#said-early
 */
export const mostAhead = 100;
const mostCharacters = 20_000;

type Ahead = ReadonlyMap<string, Deliverable>;

/**
 * The deliverables that the plan may ask for after the current question, by key: the tasks of a strict state, then the states
 * that transitions lead to, the nearest first. It is the same during a whole visit.
 */
export function ahead({ context: { state }, meta }: Place): Ahead {
  return aheadOf(meta, state);
}

const aheadOf = once((meta: PlanScope['meta'], from): Ahead => {
  const first = stateMeta(meta, from);
  const declared = new Set(
    first.type === 'strict' ? [] : deliverablesOf(first).map(({ key }) => key),
  );
  const heard = (planMeta(meta).heard ?? []).filter(({ key }) => !declared.has(key));
  const byKey = new Map<string, Deliverable>(heard.map((one) => [one.key, one]));
  const reached = new Set([from]);
  let characters = 0;
  // The set grows while it is read: breadth first.
  for (const id of reached) {
    const state = stateMeta(meta, id);
    for (const deliverable of deliverablesOf(state)) {
      const { key } = deliverable;
      if (byKey.has(key) || declared.has(key) || !isOfPerson(deliverable)) continue;
      characters += deliverable.key.length + JSON.stringify(valueSchema(deliverable)).length;
      if (byKey.size === mostAhead || characters > mostCharacters) return byKey;
      byKey.set(deliverable.key, deliverable);
    }
    for (const next of state.leads_to ?? []) reached.add(next);
  }
  return byKey;
});

/**
 * `all_tasks_complete`: every required task is done (or, as a compile option, every task). A state without such work is not
 * complete by itself: the agent must have spoken in it and the person must have answered. In the last state of a conversation
 * there is nothing left to answer. Spec: docs/formats/plan.md#completion
 *
 * @param spoken whether the agent has spoken in the state
 */
export function isComplete(scope: Place, spoken = scope.context.visit.spoken): boolean {
  const { answered } = scope.context.visit;
  const state = currentState(scope);
  if (countedTasks(scope).length > 0) return tasksToDo(scope).length === 0;
  if (state.tasks.length > 0 && undone(scope, state.tasks).length === 0) return true;
  return spoken && (answered || state.terminal === true);
}

/** The tasks of the current state that its completion still waits for. */
export function tasksToDo(scope: Place): readonly TaskMeta[] {
  return undone(scope, countedTasks(scope));
}

/** The tasks of the current state that are neither done nor skipped. */
export function undone({ context }: Place, tasks: readonly TaskMeta[]): readonly TaskMeta[] {
  return tasks.filter(({ id }) => taskStatus(context, context.state, id) === undefined);
}

/** The tasks that completion waits for. */
function countedTasks(scope: Place): readonly TaskMeta[] {
  const { tasks } = currentState(scope);
  return planMeta(scope.meta).completion === 'all'
    ? tasks
    : tasks.filter(({ required }) => required);
}

export function isGoalAchieved({ context }: Place): boolean {
  return taskStatus(context, context.state, goalTask) === 'completed';
}

/**
 * Whether the known values complete a task. After a return to a state, earlier values count only once the person could
 * change them; otherwise the state would be left as soon as it is entered. Spec: docs/formats/plan.md#return
 */
export function hasData(context: PlanContext, keys: readonly string[]): boolean {
  const { again, answered } = context.visit;
  if (keys.length === 0 || (again && !answered)) return false;
  return keys.every((key) => isCollected(context, key));
}

/** Whether the person's answer alone may complete the state, without extracting anything from it first. */
export function completesByAnswer(scope: Place): boolean {
  const { spoken } = scope.context.visit;
  const { type, tasks } = currentState(scope);
  return spoken && type !== 'goal' && tasks.every(({ deliverables }) => deliverables.length === 0);
}

/** The tasks that an optional task does not block: those after it, up to and including the next required one. */
export function tasksAhead(state: StateMeta, id: string): readonly TaskMeta[] {
  const later = state.tasks.slice(state.tasks.findIndex((task) => task.id === id) + 1);
  const nextRequired = later.findIndex(({ required }) => required);
  return nextRequired < 0 ? later : later.slice(0, nextRequired + 1);
}

/** In a sequence, an optional task is skipped once a later task was begun in this state. */
export function isPassedOver(scope: Place, id: string): boolean {
  const { context } = scope;
  const { again, answered } = context.visit;
  if (taskStatus(context, context.state, id) === 'skipped') return true;
  if (again && !answered) return false;
  const wasBegunHere = (key: string) =>
    isCollected(context, key) && own(context.deliverables, key)?.state === context.state;
  return tasksAhead(currentState(scope), id).some((task) => {
    const status = taskStatus(context, context.state, task.id);
    // On a return, a task may have been skipped in an earlier visit.
    const isAddressed = status === 'completed' || (status === 'skipped' && !again);
    return isAddressed || task.deliverables.some(({ key }) => wasBegunHere(key));
  });
}
