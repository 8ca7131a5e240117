import type { Effects } from '@dramaturg/compiler/format';
import { timeOfWall } from '@dramaturg/compiler/text';
import {
  type LifecycleContext,
  own,
  todoStatuses,
  type TodoStatus,
  type Turn,
} from '../context.ts';
import type { QuietWindow } from '../definition.ts';
import { longestDelay } from '../limits.ts';
import { agentAvailable } from '../names.ts';
import { readLocalTime } from '../times.ts';
import type { TurnKind } from '../vocabulary.ts';
import {
  fallback,
  idOf,
  reasonOf,
  type Refusal,
  replyProblem,
  shown,
  textField,
} from './message.ts';
import { type AnyEvent, type LifecycleAction, raised, timesOf, zoneOf } from './scope.ts';
import { quietAt } from './timer.ts';

/**
 * Turns of the agent: at most one runs, and every event of the agent names its id. Owns `turn`, `turn_counter`,
 * `failure_streak` and `contact_begins` of the context; `leave` in state.ts sets `turn` to null when it interrupts a turn.
 *
 *     none or ended → running (startTurn) → asked, for an end or help (askEnd, askHelp) → ended (closeTurn, failTurn)
 *     any → none (leave)
 */

/** Why an event does not belong to the running turn. */
export function turnProblem({ turn }: LifecycleContext, event: AnyEvent): Refusal | undefined {
  const id = event['turn'];
  if (typeof id !== 'string')
    return refused('no-turn', 'The event needs "turn", the id of the turn it belongs to.');
  if (!turn || turn.ended)
    return refused('over', `No turn of the agent runs, so the turn "${shown(id)}" is over.`);
  return turn.id === id
    ? undefined
    : refused('over', `The turn "${shown(id)}" is over: now "${turn.id}" runs.`);
}

/** Why the agent may not do this: for example, it has already ended the conversation or asked for help. */
export function toolProblem(context: LifecycleContext, event: AnyEvent): Refusal | undefined {
  const problem = turnProblem(context, event);
  if (problem !== undefined) return problem;
  if (context.turn?.asked === 'end')
    return refused('has-asked', 'The turn has ended the conversation already.');
  if (context.turn?.asked === 'help')
    return refused('has-asked', 'The turn has asked for a person already.');
  return undefined;
}

export function delayProblem(context: LifecycleContext, event: AnyEvent): Refusal | undefined {
  const problem = toolProblem(context, event);
  if (problem !== undefined) return problem;
  const { delay_ms: delay, at } = event;
  if (at !== undefined && at !== null)
    return delay === undefined && readLocalTime(at) !== undefined
      ? undefined
      : refused(
          'bad-delay',
          'The "at" must be a local time such as "2026-10-24T09:00", without "delay_ms".',
        );
  const isDelay =
    Number.isSafeInteger(delay) && Number(delay) >= 1 && Number(delay) <= longestDelay;
  return isDelay
    ? undefined
    : refused('bad-delay', `The "delay_ms" must be a whole number from 1 to ${longestDelay}.`);
}

export function todoProblem(context: LifecycleContext, event: AnyEvent): Refusal | undefined {
  const problem = toolProblem(context, event);
  if (problem !== undefined) return problem;
  const { todo_id: id, status } = event;
  if (!context.todos.some((todo) => todo.id === id))
    return refused('unknown-todo', `There is no item "${shown(String(id))}" on the checklist.`);
  return todoStatuses.some((known) => known === status)
    ? undefined
    : refused('bad-status', `The "status" of an item is one of ${todoStatuses.join(', ')}.`);
}

function refused(code: string, because: string): Refusal {
  return { code: `turn/${code}`, because };
}

/**
 * Calls the agent. Has no effect in the quiet window, while the contact may continue to write: then the timer of the state raises
 * the event.
 */
const callAgent: LifecycleAction<{ at_once?: true; settle?: QuietWindow }> = (
  { context, world },
  { at_once, settle },
) => {
  if (!at_once) return { emit: [{ type: 'agent.wanted', messages: context.inbox_count }] };
  const isQuiet = !settle || world.now() >= quietAt(context, settle);
  return isQuiet ? { raise: [raised(agentAvailable)] } : {};
};

/** The turn receives all waiting messages. Its kind may depend on the previous state. */
const startTurn: LifecycleAction<{ kind?: TurnKind | Readonly<Record<string, TurnKind>> }> = (
  { context, meta },
  { kind: given = {} },
) => {
  const { instance, came_from, inbox_count } = context;
  const turn_counter = context.turn_counter + 1;
  const usual = came_from === null ? 'first' : 'resumed';
  const kind =
    typeof given === 'string' ? given : (own(given, came_from ?? '') ?? own(given, '*') ?? usual);
  const { text } = timesOf({ context, meta }).reminders?.[context.follow_up_count] ?? {};
  const written = kind === 'follow_up' && text !== undefined ? { text } : {};
  const turn: Turn = {
    id: `${instance}/turn-${turn_counter}`,
    kind,
    sent: 0,
    message_count: inbox_count,
    asked: null,
    reason: null,
    ended: false,
  };
  return {
    context: {
      turn,
      turn_counter,
      inbox_count: 0,
      frozen: null,
      intervention_reason: null,
      ...(context.unsaid && { unsaid: null }),
    },
    emit: [{ type: 'turn.started', turn: turn.id, kind, messages: inbox_count, ...written }],
  };
};

/** The running turn also receives the waiting messages. */
const extendTurn: LifecycleAction = ({ context: { turn, inbox_count } }) =>
  turn
    ? {
        context: {
          turn: { ...turn, message_count: turn.message_count + inbox_count },
          inbox_count: 0,
        },
      }
    : {};

/**
 * Tells a waiting contact why there is no reply: each cause once, until the agent replies. When a first turn fails before the
 * contact has written, the next message is answered so.
 */
const tellContact: LifecycleAction<{ cause: string; text?: string; language?: string }> = (
  { context: { turn, told = [], inbox_count, addressed } },
  { cause, text, language },
) => {
  if (turn === null || turn.sent > 0 || told.includes(cause)) return {};
  const said = { ...(text && { text }), ...(language && { language }) };
  const unsaid = { id: `${turn.id}/${cause}`, cause, ...said };
  if (turn.message_count > 0 || (turn.kind !== 'follow_up' && inbox_count > 0))
    return { context: { told: [...told, cause] }, emit: [fallback(unsaid)] };
  return cause === 'failed' && !addressed ? { context: { unsaid } } : {};
};

/** Does nothing when no turn runs, like every action on a turn, so a table may use it anywhere. */
const closeTurn: LifecycleAction = ({ context: { turn } }) =>
  turn ? { context: { turn: { ...turn, ended: true }, failure_streak: 0 } } : {};

/**
 * The next turn receives the messages of a failed turn again, so that none is lost. The reason that the agent gave for
 * its request is dropped.
 */
const failTurn: LifecycleAction = ({ context }) => {
  const { turn, inbox_count, failure_streak } = context;
  if (!turn) return {};
  const { kind, message_count } = turn;
  return {
    context: {
      turn: { ...turn, ended: true, message_count: 0, reason: null },
      inbox_count: message_count + inbox_count,
      failure_streak: kind === 'follow_up' ? failure_streak + 1 : failure_streak,
    },
  };
};

const letContactBegin: LifecycleAction = () => ({ context: { contact_begins: true } });

/** Records a request. The turn continues; its state is left when the turn ends. Spec: docs/formats/lifecycle.md#turns */
function ask(asked: 'end' | 'help'): LifecycleAction {
  return ({ context: { turn }, event }) =>
    turn ? { context: { turn: { ...turn, asked, reason: reasonOf(event) } } } : {};
}

const sendMessage: LifecycleAction = ({ context, event }) => {
  const { turn } = context;
  if (!turn || replyProblem(event) !== undefined) return {};
  const index = turn.sent + 1;
  return {
    context: {
      turn: { ...turn, sent: index },
      addressed: true,
      ...(context.told && { told: [] }),
    },
    emit: [
      {
        type: 'message.send.requested',
        role: 'agent',
        id: idOf(event, `${turn.id}/message-${index}`),
        turn: turn.id,
        index,
        ...textField(event),
      },
    ],
  };
};

const overrideHeartbeat: LifecycleAction = (scope) => {
  const { context, event } = scope;
  if (delayProblem(context, event) !== undefined) return {};
  const wall = readLocalTime(event['at']);
  if (wall !== undefined)
    return { context: { heartbeat_override_at: timeOfWall(wall, zoneOf(scope)) } };
  const at = context.heartbeat_override_at ? { heartbeat_override_at: null } : {};
  return { context: { heartbeat_override_ms: event['delay_ms'] as number, ...at } };
};

const markTodo: LifecycleAction = ({ context, event }): Effects<LifecycleContext> => {
  if (todoProblem(context, event) !== undefined) return {};
  const todo_id = event['todo_id'] as string;
  const status = event['status'] as TodoStatus;
  return {
    context: {
      todos: context.todos.map((todo) => (todo.id === todo_id ? { ...todo, status } : todo)),
    },
    emit: [{ type: 'todo.marked', todo_id, status }],
  };
};

export const turnActions = {
  callAgent,
  startTurn,
  extendTurn,
  tellContact,
  closeTurn,
  failTurn,
  letContactBegin,
  askEnd: ask('end'),
  askHelp: ask('help'),
  sendMessage,
  overrideHeartbeat,
  markTodo,
};
