import type { AuthoredState } from '../definition.ts';

/** The states of a conversation's instance. */
export const conversationStates: Readonly<Record<string, AuthoredState>> = {
  CREATED: {
    kind: 'initial',
    description: 'The agent has not sent its first message yet.',
    entry: ['call_agent'],
  },
  QUEUED: {
    kind: 'waiting',
    description: 'Another instance holds the contact.',
    holds_contact: false,
  },
  ACTIVE: {
    kind: 'working',
    description: 'A turn of the agent runs.',
    entry: [{ start_turn: { CREATED: 'first', WAITING_FOR_AGENT: 'reply', '*': 'resumed' } }],
  },
  WAITING_FOR_REPLY: {
    kind: 'waiting',
    description: 'A message is out, and the answer of the contact is awaited.',
    timer: 'heartbeat_fires',
  },
  WAITING_FOR_AGENT: {
    kind: 'waiting',
    description: 'The contact has answered, and the agent has not begun.',
    entry: ['call_agent'],
  },
  HEARTBEAT_SCHEDULED: {
    kind: 'working',
    description: 'The contact was silent, and a follow-up is owed.',
  },
  PAUSED: { kind: 'suspended', description: 'Suspended by the operator.' },
  NEEDS_HUMAN_INTERVENTION: {
    kind: 'suspended',
    description: 'A person has to look at it.',
  },
  COMPLETED: { kind: 'terminal', description: 'The conversation ended well.' },
  ABANDONED: { kind: 'terminal', description: 'The contact stayed silent after all follow-ups.' },
  FAILED: { kind: 'terminal', description: 'It broke, or was cancelled.' },
};
