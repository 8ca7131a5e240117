import type { AuthoredState, LifecycleDefinition } from '../definition.ts';
import { moves } from './moves.ts';
import { policy } from './policy.ts';

/** The states of a conversation's instance. */
const conversationStates: Readonly<Record<string, AuthoredState>> = {
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

/**
 * The lifecycle of a conversation: one instance of it, with one contact. It is a definition like any other, so it is
 * adapted by being copied: `{ ...conversationLifecycle, policies: { strict: true } }`.
 * Spec: docs/formats/lifecycle.md#the-lifecycle-of-a-conversation
 *
 * @example
 * ```ts
 * const strict = compile(JSON.stringify({ ...conversationLifecycle, policies: { strict: true } }));
 * const host = await createHost({
 *   store: memoryStore(),
 *   definitions: { intake: { definition: intake, lifecycle: strict } },
 *   ports: understudyPorts(),
 * });
 * await host.stop();
 * ```
 */
export const conversationLifecycle: LifecycleDefinition = {
  format: 'lifecycle',
  id: 'conversation-instance',
  title: 'Conversation',
  description: 'The life of one conversation with one contact.',
  initial: 'CREATED',
  states: conversationStates,
  transitions: [...moves, ...policy],
  policies: {
    heartbeat: {
      interval_ms: 1_800_000,
      max_followups: 5,
      max_failures: 3,
      budget: 'consecutive',
      resume_timer: 'remaining',
      restart_timer: 'deadline',
    },
    // 5, 15, 45, 135 and 300 seconds, then a person.
    model_failure: { attempts: 6, delay_ms: 5_000, backoff_rate: 3, max_delay_ms: 300_000 },
    // After 30 seconds, and when no reply can be made, a waiting contact gets a sentence in the language of the definition.
    fallbacks: {},
    pick_up: 'at_once',
    strict: false,
  },
};
