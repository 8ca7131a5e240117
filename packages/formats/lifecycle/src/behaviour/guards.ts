import { isRecord } from '@dramaturg/compiler';
import type { LifecycleContext } from '../context.ts';
import type { Scalar } from '../definition.ts';
import type { GuardWord } from '../vocabulary.ts';
import { messageProblem, receivedProblem, replyProblem } from './message.ts';
import type { AnyEvent, LifecycleGuard } from './scope.ts';
import { delayProblem, todoProblem, toolProblem, turnProblem } from './turn.ts';

/** An event of the turn that runs: what has been said of an earlier one changes nothing. */
function isCurrent(scope: { context: LifecycleContext; event: AnyEvent }): boolean {
  return turnProblem(scope.context, scope.event) === undefined;
}

/** The contact was given the first word, and nobody has said anything since. */
function contactIsToBegin({ contact_begins, addressed, seen }: LifecycleContext): boolean {
  return contact_begins && !addressed && seen.length === 0;
}

/** The guards of the table. Spec: docs/formats/lifecycle.md#guards */
const tableGuards: Readonly<Record<GuardWord, LifecycleGuard>> = {
  queued: ({ context }) => context.queued,

  // Turns

  current_turn: isCurrent,
  open_turn: ({ context, event }) => toolProblem(context, event) === undefined,
  sound_reply: ({ context, event }) =>
    toolProblem(context, event) === undefined && replyProblem(event) === undefined,
  sound_delay: ({ context, event }) => delayProblem(context, event) === undefined,
  known_todo: ({ context, event }) => todoProblem(context, event) === undefined,
  end_was_asked: (scope) => isCurrent(scope) && scope.context.turn?.asked === 'end',
  help_was_asked: (scope) => isCurrent(scope) && scope.context.turn?.asked === 'help',
  messages_wait: (scope) => isCurrent(scope) && scope.context.inbox.length > 0,
  something_was_sent: (scope) => isCurrent(scope) && scope.context.turn!.sent > 0,
  failed_for_good: (scope) => isCurrent(scope) && scope.event['recoverable'] === false,
  failures_used_up: (scope, { most }: { most: number }) =>
    isCurrent(scope) && scope.context.failure_streak + 1 >= most,
  no_turn: ({ context }) => context.turn === null,
  contact_begins: (scope) => isCurrent(scope) && scope.event['awaits'] === 'contact',
  nobody_was_addressed: ({ context }) => {
    const { turn, addressed } = context;
    if (contactIsToBegin(context)) return false;
    return turn?.kind === 'first' || (turn?.kind === 'resumed' && !addressed);
  },
  contact_is_to_begin: ({ context }) => contactIsToBegin(context),

  // Messages

  new_message: ({ context, event }) => receivedProblem(context, event) === undefined,
  sound_message: ({ event }) => messageProblem(event) === undefined,
  unattended_messages: ({ context }) => context.turn === null && context.inbox.length > 0,
  unanswered_messages: ({ context: { inbox, turn } }) =>
    inbox.length + (turn?.messages.length ?? 0) > 0,

  // Follow-ups

  follow_up_is_out: ({ context: { turn, frozen } }) =>
    turn === null && frozen?.turn?.kind === 'follow_up' && frozen.turn.sent > 0,
  follow_ups_used_up: ({ context }) =>
    context.turn === null && context.follow_up_count >= context.heartbeat_config.max_followups,
};

export const guards: Readonly<Record<string, LifecycleGuard>> = {
  ...tableGuards,
  created: ({ context }, { event, queued }: { event: string; queued?: true }) =>
    context.created_by === event && (queued !== true || context.queued),
  /** Own fields only: what every object has says nothing of this one. */
  eventHas: ({ event }, { fields }: { fields: Readonly<Record<string, Scalar>> }) =>
    Object.entries(fields).every(
      ([field, value]) => Object.hasOwn(event, field) && event[field] === value,
    ),
  timerIsDue: ({ context, event }) => {
    const output = event['output'];
    const firedAt = isRecord(output) ? output['firedAt'] : undefined;
    return context.timer !== null && Number(firedAt) >= context.timer.due_at;
  },
};
