import { HostError } from '../errors.ts';
import { type DurableMachine, MachineActor } from '../xstate/machine-actor.ts';
import type { HostEvent } from './event.ts';
import type { Birth } from './state.ts';

/** The first message of an instance. If it is refused, nothing is started. */

type FirstMessage = NonNullable<Birth['message']>;

/**
 * Checks whether a conversation accepts the message, without starting it.
 *
 * @param input the input of the flow
 * @throws HostError `host/message-refused`
 */
export async function requireAcceptedByFlow(
  machine: DurableMachine,
  input: unknown,
  { text }: FirstMessage,
  nextTurn: () => Promise<void>,
): Promise<void> {
  if (!machine.converses) return;
  const message = { type: 'message.received', text };
  const because = await MachineActor.refusalOf(machine, input, message, nextTurn);
  if (because !== undefined) throw messageRefused(because);
}

/** @throws HostError `host/message-refused` when the lifecycle has refused the message */
export function requireAcceptedByLifecycle(events: readonly HostEvent[]): void {
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
