import { HostError } from '../errors.ts';
import { MachineActor } from '../xstate/machine-actor.ts';
import type { DurableMachine } from '../xstate/machine-actor.ts';
import type { HostEvent } from './event.ts';
import type { Birth } from './state.ts';

/** The message that an instance begins with: whatever refuses it refuses the whole start. */

type FirstMessage = NonNullable<Birth['message']>;

/**
 * Tries out whether a conversation takes the message. Nothing is begun.
 *
 * @param input of the flow
 * @throws HostError `host/message-refused`
 */
export function requireTakenByFlow(
  machine: DurableMachine,
  input: unknown,
  { text }: FirstMessage,
): void {
  if (!machine.converses) {
    throw messageRefused(
      'a workflow takes no messages. What it works on is its input, and what it waits for are events of its own.',
    );
  }
  const because = MachineActor.refusalOf(machine, input, { type: 'message.received', text });
  if (because !== undefined) throw messageRefused(because);
}

/** @throws HostError `host/message-refused` when the lifecycle has refused it */
export function requireTakenByLife(events: readonly HostEvent[]): void {
  const refused = events.find(
    ({ source, event }) =>
      source === 'lifecycle' &&
      event.type === 'event.refused' &&
      event['event'] === 'message.received',
  );
  if (refused) throw messageRefused(String(refused.event['because']));
}

export function messageRefused(because: string): HostError {
  return new HostError(
    'host/message-refused',
    `Nothing was started, because the first message is refused: ${because}`,
  );
}
