import { isRecord } from '@dramaturg/compiler';
import type { LifecycleContext } from '../context.ts';
import type { Scalar } from '../definition.ts';
import type { BehaviourName, GuardWord } from '../vocabulary.ts';
import { messageProblem, receivedProblem, replyProblem } from './message.ts';
import { type AnyEvent, type LifecycleGuard, stateMeta } from './scope.ts';
import { mayFire, quietAt } from './timer.ts';
import { delayProblem, todoProblem, toolProblem, turnProblem } from './turn.ts';

/** Whether an event belongs to the running turn: events of earlier turns change nothing. */
function isCurrent(scope: { context: LifecycleContext; event: AnyEvent }): boolean {
  return turnProblem(scope.context, scope.event) === undefined;
}

/** The contact is to speak first, and no message has been sent or received since. */
function contactIsToBegin({ contact_begins, addressed, seen }: LifecycleContext): boolean {
  return contact_begins && !addressed && seen.length === 0;
}

/** The guards of the table. Spec: docs/formats/lifecycle.md#guards */
const tableGuards = {
  queued: ({ context }) => context.queued,

  // Turns

  currentTurn: isCurrent,
  openTurn: ({ context, event }) => toolProblem(context, event) === undefined,
  soundReply: ({ context, event }) =>
    toolProblem(context, event) === undefined && replyProblem(event) === undefined,
  soundDelay: ({ context, event }) => delayProblem(context, event) === undefined,
  knownTodo: ({ context, event }) => todoProblem(context, event) === undefined,
  endWasAsked: (scope) => isCurrent(scope) && scope.context.turn?.asked === 'end',
  helpWasAsked: (scope) => isCurrent(scope) && scope.context.turn?.asked === 'help',
  messagesWait: (scope) => isCurrent(scope) && scope.context.inbox_count > 0,
  somethingWasSent: (scope) => isCurrent(scope) && scope.context.turn!.sent > 0,
  failedForGood: (scope) => isCurrent(scope) && scope.event['recoverable'] === false,
  failuresUsedUp: (scope, { most }: { most: number }) =>
    isCurrent(scope) && scope.context.failure_streak + 1 >= most,
  noTurn: ({ context }) => context.turn === null,
  contactBegins: (scope) => isCurrent(scope) && scope.event['awaits'] === 'contact',
  nobodyWasAddressed: ({ context }) => {
    const { turn, addressed } = context;
    if (contactIsToBegin(context)) return false;
    return turn?.kind === 'first' || (turn?.kind === 'resumed' && !addressed);
  },
  contactIsToBegin: ({ context }) => contactIsToBegin(context),

  // Messages

  newMessage: ({ context, event }) => receivedProblem(context, event) === undefined,
  soundMessage: ({ event }) => messageProblem(event) === undefined,
  unattendedMessages: ({ context }) => context.turn === null && context.inbox_count > 0,
  unansweredMessages: ({ context: { inbox_count, turn } }) =>
    inbox_count + (turn?.message_count ?? 0) > 0,

  // Follow-ups

  followUpIsOut: ({ context: { turn, frozen } }) =>
    turn === null && frozen?.turn?.kind === 'follow_up' && frozen.turn.sent > 0,
  followUpsUsedUp: ({ context }) =>
    context.turn === null && context.follow_up_count >= context.heartbeat_config.max_followups,
} satisfies Readonly<Record<BehaviourName<GuardWord>, LifecycleGuard>>;

export const guards = {
  ...tableGuards,
  created: ({ context }, { event, queued }: { event: string; queued?: true }) =>
    context.created_by === event && (queued !== true || context.queued),
  /** Reads own fields only, so that inherited ones never match. */
  eventHas: ({ event, world }, { fields }: { fields: Readonly<Record<string, Scalar>> }) =>
    Object.entries(fields).every(([field, value]) => {
      const holds = Object.hasOwn(event, field) && event[field] === value;
      world.onOperand?.(['guard', 'event', field], holds);
      return holds;
    }),
  timerIsDue: (scope) => {
    const { context, event, meta } = scope;
    const output = event['output'];
    const firedAt = Number(isRecord(output) ? output['firedAt'] : undefined);
    const { settle } = stateMeta(meta, context.state)?.timer ?? {};
    // More messages may have come since the timer was set.
    const dueAt = settle ? quietAt(context, settle) : context.timer?.due_at;
    if (context.timer === null || dueAt === undefined || !(firedAt >= dueAt)) return false;
    return settle !== undefined || mayFire(scope);
  },
} satisfies Readonly<Record<string, LifecycleGuard>>;
