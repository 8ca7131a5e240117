import type { AuthoredRow } from '../definition.ts';

/**
 * The rows that move an instance, by the events of the table. Each has its number from
 * docs/formats/lifecycle.md#rows-of-the-conversation. The rows that raise the events are in `policy.ts`.
 */
export const moves: readonly AuthoredRow[] = [
  { id: 'T2', from: null, event: 'create', guard: 'queued', to: 'QUEUED' },
  { id: 'T1', from: null, event: 'create', to: 'CREATED' },
  { id: 'T3', from: 'CREATED', event: 'contact_has_active_instance', to: 'QUEUED' },
  { id: 'T4', from: 'CREATED', event: 'agent_sends_first_message', to: 'ACTIVE' },
  { id: 'T5', from: 'QUEUED', event: 'prior_instance_terminal', to: 'CREATED' },

  { id: 'T6', from: 'ACTIVE', event: 'message_sent', to: 'WAITING_FOR_REPLY' },
  { id: 'T7', from: 'ACTIVE', event: 'contact_replies', to: 'WAITING_FOR_AGENT' },
  {
    id: 'T9',
    from: 'ACTIVE',
    event: 'turn_silent',
    guard: 'nobody_was_addressed',
    to: 'NEEDS_HUMAN_INTERVENTION',
    actions: [{ record_help: 'agent sent nothing' }],
  },
  { id: 'T8', from: 'ACTIVE', event: 'turn_silent', to: 'WAITING_FOR_REPLY' },
  {
    id: 'T10',
    from: 'ACTIVE',
    event: 'end_conversation',
    to: 'COMPLETED',
    actions: ['record_end'],
  },
  {
    id: 'T11',
    from: 'ACTIVE',
    event: 'request_intervention',
    to: 'NEEDS_HUMAN_INTERVENTION',
    actions: ['record_help'],
  },
  {
    id: 'T12',
    from: 'ACTIVE',
    event: 'unrecoverable_error',
    to: 'FAILED',
    actions: ['record_failure'],
  },

  {
    id: 'T13',
    from: 'WAITING_FOR_REPLY',
    event: 'contact_replies',
    to: 'WAITING_FOR_AGENT',
    actions: ['reset_follow_ups'],
  },
  // A conversation that has not begun gets no follow-ups.
  { from: 'WAITING_FOR_REPLY', event: 'heartbeat_fires', guard: 'contact_is_to_begin' },
  { id: 'T14', from: 'WAITING_FOR_REPLY', event: 'heartbeat_fires', to: 'HEARTBEAT_SCHEDULED' },
  {
    id: 'T15',
    from: 'WAITING_FOR_REPLY',
    event: 'end_conversation',
    to: 'COMPLETED',
    actions: ['record_end'],
  },

  { id: 'T16', from: 'WAITING_FOR_AGENT', event: 'agent_processes_reply', to: 'ACTIVE' },
  {
    id: 'T17',
    from: 'WAITING_FOR_AGENT',
    event: 'message_sent',
    to: 'WAITING_FOR_REPLY',
    actions: ['clear_inbox'],
  },
  {
    id: 'T18',
    from: 'WAITING_FOR_AGENT',
    event: 'end_conversation',
    to: 'COMPLETED',
    actions: ['record_end'],
  },

  {
    id: 'T20',
    from: 'HEARTBEAT_SCHEDULED',
    event: 'max_followups_exceeded',
    to: 'ABANDONED',
  },
  {
    id: 'T22',
    from: 'HEARTBEAT_SCHEDULED',
    event: 'followup_sent',
    to: 'WAITING_FOR_REPLY',
    actions: ['count_follow_up'],
  },
  {
    id: 'T23',
    from: 'HEARTBEAT_SCHEDULED',
    event: 'contact_replies',
    to: 'WAITING_FOR_AGENT',
    actions: ['reset_follow_ups'],
  },
  {
    id: 'T24',
    from: 'HEARTBEAT_SCHEDULED',
    event: 'end_conversation',
    to: 'COMPLETED',
    actions: ['record_end'],
    additive: true,
  },
  {
    id: 'T25',
    from: 'HEARTBEAT_SCHEDULED',
    event: 'request_intervention',
    to: 'NEEDS_HUMAN_INTERVENTION',
    actions: ['record_help'],
    additive: true,
  },
  {
    id: 'T26',
    from: 'HEARTBEAT_SCHEDULED',
    event: 'unrecoverable_error',
    to: 'FAILED',
    actions: ['record_failure'],
    additive: true,
  },

  {
    id: 'T38',
    from: 'HEARTBEAT_SCHEDULED',
    event: 'followup_failed',
    to: 'WAITING_FOR_REPLY',
  },

  { id: 'T27', from: '*', event: 'pause', to: 'PAUSED' },
  { id: 'T29', from: 'PAUSED', event: 'resume', to: '$previous' },
  { id: 'T31', from: 'NEEDS_HUMAN_INTERVENTION', event: 'resume', to: 'ACTIVE' },
  {
    id: 'T32',
    from: 'NEEDS_HUMAN_INTERVENTION',
    event: 'manual_send',
    to: 'ACTIVE',
    actions: ['record_manual'],
  },
  {
    id: 'T34',
    from: '*',
    event: 'cancel',
    to: 'FAILED',
    actions: [{ record_failure: 'cancelled' }],
  },
];
