import type { LifecycleDefinition } from '../definition.ts';
import { moves } from './moves.ts';
import { policy } from './policy.ts';
import { conversationStates } from './states.ts';

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
