import type { JsonObject } from '@dramaturg/compiler';
import type { HandledEvent } from '@dramaturg/conversation';
import type { NodeMeta } from '@dramaturg/compiler/chart';
import type { Action, Effects, Guard, Scope } from '@dramaturg/compiler/format';
import { type DeliverableRecord, own, type PlanContext, type TaskStatus } from '../context.ts';
import type {
  Deliverable,
  Plan,
  PlanOptions,
  SessionField,
  State,
  StateType,
  Task,
} from '../definition.ts';
import type { Condition } from '../conditions/table.ts';
import { planNode, stateNode } from '../names.ts';

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
  const byKey = new Map<string, Deliverable>();
  for (const deliverable of [...state.tasks.flatMap((task) => task.deliverables), ...ofGoal]) {
    if (!byKey.has(deliverable.key)) byKey.set(deliverable.key, deliverable);
  }
  return [...byKey.values()];
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
