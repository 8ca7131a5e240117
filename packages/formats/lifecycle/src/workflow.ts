import type { LifecycleDefinition } from './definition.ts';

/**
 * The lifecycle of one run of a workflow: it works, it may be paused, and it ends. It holds no contact, sends no reminders and
 * has no queue. The whole run is one turn: the code that does the work names the turn, and a pause replaces it by another one.
 * Spec: docs/formats/lifecycle.md#the-lifecycle-of-a-workflow
 *
 * @example
 * ```ts
 * const own = compile(JSON.stringify({ ...workflowLifecycle, title: 'Price run' }));
 * const ports = { runAgent: async () => ({ result: 40 }) };
 * const host = await createHost({
 *   store: memoryStore(),
 *   definitions: { price: { definition: pricing, lifecycle: own } },
 *   ports,
 * });
 * const { id } = await host.start('price');
 * await host.settle();
 * console.log((await host.get(id)).output); // → 40
 * await host.stop();
 * ```
 */
export const workflowLifecycle: LifecycleDefinition = {
  format: 'lifecycle',
  id: 'workflow-instance',
  title: 'Workflow',
  description: 'The life of one run of a workflow.',
  initial: 'RUNNING',
  states: {
    RUNNING: {
      kind: 'working',
      description: 'The workflow runs.',
      holds_contact: false,
      entry: ['start_turn'],
    },
    PAUSED: { kind: 'suspended', description: 'Suspended by the operator.' },
    COMPLETED: { kind: 'terminal', description: 'The workflow ended well.' },
    FAILED: { kind: 'terminal', description: 'It broke, or was cancelled.' },
  },
  transitions: [
    { from: 'RUNNING', event: 'end_workflow', to: 'COMPLETED', actions: ['record_end'] },
    { from: 'RUNNING', event: 'unrecoverable_error', to: 'FAILED', actions: ['record_failure'] },
    { from: '*', event: 'pause', to: 'PAUSED' },
    { from: 'PAUSED', event: 'resume', to: '$previous' },
    { from: '*', event: 'cancel', to: 'FAILED', actions: [{ record_failure: 'cancelled' }] },

    { from: 'RUNNING', event: 'agent.ended', guard: 'open_turn', actions: ['ask_end'] },
    {
      from: 'RUNNING',
      event: 'turn.ended',
      guard: 'current_turn',
      actions: ['close_turn'],
      raise: 'end_workflow',
    },
    // A workflow retries by itself where its definition says so: a failure of its turn is final.
    {
      from: 'RUNNING',
      event: 'turn.failed',
      guard: 'current_turn',
      actions: ['fail_turn'],
      raise: 'unrecoverable_error',
    },
    { from: 'RUNNING', event: 'instance.recovered', to: 'RUNNING' },
    { from: 'PAUSED', event: 'instance.recovered' },
  ],
};
