import type { AuthoredRow } from '../definition.ts';

/** States in which a turn of the agent runs. */
const working = ['ACTIVE', 'HEARTBEAT_SCHEDULED'];

/** When the agent is available, it takes the waiting messages. */
const agent: readonly AuthoredRow[] = [
  { from: 'CREATED', event: 'agent.available', raise: 'agent_sends_first_message' },
  { from: 'WAITING_FOR_AGENT', event: 'agent.available', raise: 'agent_processes_reply' },
];

/** The requests of a turn besides the next message, and their effect at its end. */
const asks = (from: string): AuthoredRow[] => [
  { from, event: 'agent.ended', guard: 'open_turn', actions: ['ask_end'] },
  { from, event: 'agent.flagged', guard: 'open_turn', actions: ['ask_help'] },
  {
    from,
    event: ['turn.ended', 'turn.failed'],
    guard: 'end_was_asked',
    actions: ['close_turn'],
    raise: 'end_conversation',
  },
  {
    from,
    event: ['turn.ended', 'turn.failed'],
    guard: 'help_was_asked',
    actions: ['close_turn'],
    raise: 'request_intervention',
  },
];

/** The tools of the agent during its turn. They never move the instance. */
const tools: readonly AuthoredRow[] = [
  { from: working, event: 'agent.replied', guard: 'sound_reply', actions: ['send_message'] },
  ...asks('ACTIVE'),
  // A follow-up may make the same requests, by rows that no source has.
  ...asks('HEARTBEAT_SCHEDULED').map((row): AuthoredRow => ({ ...row, additive: true })),
  {
    from: working,
    event: 'agent.rescheduled',
    guard: 'sound_delay',
    actions: ['override_heartbeat'],
  },
  { from: working, event: 'turn.extended', guard: 'current_turn', actions: ['extend_turn'] },
  { from: working, event: 'todo.marked', guard: 'known_todo', actions: ['mark_todo'] },
];

/** A turn that has ended without a request moves the instance once, by the first of these rows that applies. */
const turnEnds: readonly AuthoredRow[] = [
  {
    from: working,
    event: 'turn.ended',
    guard: 'messages_wait',
    actions: ['close_turn'],
    raise: 'contact_replies',
  },
  {
    from: 'ACTIVE',
    event: 'turn.ended',
    guard: 'something_was_sent',
    actions: ['close_turn'],
    raise: 'message_sent',
  },
  // The contact speaks first, so the turn did not have to address anyone.
  {
    from: 'ACTIVE',
    event: 'turn.ended',
    guard: 'contact_begins',
    actions: ['close_turn', 'let_contact_begin'],
    raise: 'turn_silent',
  },
  {
    from: 'ACTIVE',
    event: 'turn.ended',
    guard: 'current_turn',
    actions: ['close_turn'],
    raise: 'turn_silent',
  },
  {
    from: 'HEARTBEAT_SCHEDULED',
    event: 'turn.ended',
    guard: 'current_turn',
    actions: ['close_turn'],
    raise: 'followup_sent',
  },
];

/** A failed turn: a person takes over, unless the failure is final. */
const turnFails: readonly AuthoredRow[] = [
  {
    from: 'ACTIVE',
    event: 'turn.failed',
    guard: 'failed_for_good',
    actions: ['fail_turn'],
    raise: 'unrecoverable_error',
  },
  {
    from: 'ACTIVE',
    event: 'turn.failed',
    guard: 'current_turn',
    actions: ['fail_turn'],
    raise: 'request_intervention',
  },
  {
    from: 'HEARTBEAT_SCHEDULED',
    event: 'turn.failed',
    guard: 'failed_for_good',
    actions: ['fail_turn'],
    raise: 'unrecoverable_error',
    additive: true,
  },
  {
    from: 'HEARTBEAT_SCHEDULED',
    event: 'turn.failed',
    guard: 'failures_used_up',
    actions: ['fail_turn'],
    raise: 'request_intervention',
    additive: true,
  },
  {
    from: 'HEARTBEAT_SCHEDULED',
    event: 'turn.failed',
    guard: 'current_turn',
    actions: ['fail_turn'],
    raise: 'followup_failed',
  },
];

/** The conversation has ended outside of a turn, such as by an update: its instance ends, too. */
const endsFromOutside: readonly AuthoredRow[] = [
  {
    from: ['WAITING_FOR_REPLY', 'WAITING_FOR_AGENT'],
    event: 'conversation.ended',
    raise: 'end_conversation',
  },
  {
    from: '*',
    event: 'conversation.ended',
    to: 'COMPLETED',
    actions: ['record_end'],
    additive: true,
  },
  {
    from: ['CREATED', 'WAITING_FOR_REPLY', 'WAITING_FOR_AGENT', 'HEARTBEAT_SCHEDULED'],
    event: 'conversation.flagged',
    to: 'NEEDS_HUMAN_INTERVENTION',
    actions: ['record_help'],
    additive: true,
  },
];

/** An update has led the conversation to another question: the agent asks it, and a reminder of the earlier one is obsolete. */
const movesFromOutside: readonly AuthoredRow[] = [
  {
    from: ['WAITING_FOR_REPLY', 'HEARTBEAT_SCHEDULED'],
    event: 'conversation.moved',
    to: 'WAITING_FOR_AGENT',
    actions: ['reset_follow_ups'],
    additive: true,
  },
];

/** No message of a contact is lost, and none starts a second turn. */
const messages: readonly AuthoredRow[] = [
  {
    id: 'T19, T30, T33, T35, T36',
    from: '*',
    event: 'message.received',
    guard: 'new_message',
    actions: ['record_message', 'reset_follow_ups'],
  },
  {
    id: 'T13',
    from: 'WAITING_FOR_REPLY',
    always: true,
    guard: 'unattended_messages',
    to: 'WAITING_FOR_AGENT',
    actions: ['reset_follow_ups'],
  },
];

/** A follow-up is due. It is already sent, no longer wanted, one too many, or written now. */
const followUps: readonly AuthoredRow[] = [
  {
    id: 'T22',
    from: 'HEARTBEAT_SCHEDULED',
    always: true,
    guard: 'follow_up_is_out',
    to: 'WAITING_FOR_REPLY',
    actions: ['count_follow_up'],
  },
  {
    id: 'T23',
    from: 'HEARTBEAT_SCHEDULED',
    always: true,
    guard: 'unattended_messages',
    to: 'WAITING_FOR_AGENT',
    actions: ['reset_follow_ups'],
  },
  {
    id: 'T20',
    from: 'HEARTBEAT_SCHEDULED',
    always: true,
    guard: 'follow_ups_used_up',
    to: 'ABANDONED',
  },
  {
    id: 'T21',
    from: 'HEARTBEAT_SCHEDULED',
    always: true,
    guard: 'no_turn',
    actions: [{ start_turn: 'follow_up' }],
  },
];

/** People may write by hand in every state after the contact was addressed. The heartbeat then starts again. */
const manual: readonly AuthoredRow[] = [
  {
    from: [
      'ACTIVE',
      'WAITING_FOR_REPLY',
      'WAITING_FOR_AGENT',
      'HEARTBEAT_SCHEDULED',
      'PAUSED',
      'NEEDS_HUMAN_INTERVENTION',
    ],
    event: 'intervene',
    guard: 'sound_message',
    actions: ['send_manually'],
  },
  {
    from: ['ACTIVE', 'WAITING_FOR_AGENT', 'PAUSED'],
    event: 'manual_send',
    actions: ['record_manual'],
  },
  {
    from: ['WAITING_FOR_REPLY', 'HEARTBEAT_SCHEDULED'],
    event: 'manual_send',
    to: 'WAITING_FOR_REPLY',
    actions: ['record_manual'],
  },
];

/** After a restart of the host, each state repeats its interrupted work. */
const recovery: readonly AuthoredRow[] = [
  { from: 'CREATED', event: 'instance.recovered', to: 'CREATED' },
  {
    from: 'ACTIVE',
    event: 'instance.recovered',
    guard: 'unanswered_messages',
    to: 'WAITING_FOR_AGENT',
  },
  { from: 'ACTIVE', event: 'instance.recovered', to: 'ACTIVE' },
  { from: 'WAITING_FOR_AGENT', event: 'instance.recovered', to: 'WAITING_FOR_AGENT' },
  {
    from: 'WAITING_FOR_REPLY',
    event: 'instance.recovered',
    to: 'WAITING_FOR_REPLY',
    actions: ['recover_timer'],
  },
  { from: 'HEARTBEAT_SCHEDULED', event: 'instance.recovered', to: 'HEARTBEAT_SCHEDULED' },
  { from: ['QUEUED', 'PAUSED', 'NEEDS_HUMAN_INTERVENTION'], event: 'instance.recovered' },
];

/** The rows that raise the events of the table. Spec: docs/formats/lifecycle.md#turns */
export const policy: readonly AuthoredRow[] = [
  ...agent,
  ...tools,
  ...turnEnds,
  ...turnFails,
  ...endsFromOutside,
  ...movesFromOutside,
  ...messages,
  ...followUps,
  ...manual,
  ...recovery,
];
