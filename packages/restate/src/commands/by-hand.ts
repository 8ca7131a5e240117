import { realWorld } from '@dramaturg/compiler/machine';
import type { Answer } from '@dramaturg/host';
import { byHandEvent, type InterveneOptions, messageLetter, refusal } from '@dramaturg/host/engine';
import type { Answered, EventOrder, Fate, GiveUpOrder } from '../instance/messages.ts';
import type { Ingress, Target } from '../restate/ingress.ts';

export interface ByHandOptions {
  readonly ingress: Ingress;
  readonly toInstance: (id: string, handler: string) => Target;
  /** Milliseconds after which a message that waits for earlier ones is given up. */
  readonly deliveryTimeout: number;
  readonly isStopping: () => boolean;
}

/** The pause between two polls for the outcome, in milliseconds. It doubles up to the longest. */
const pauses = { first: 5, longest: 250 };

/**
 * Sends a message to the contact that a person has written by hand. Fulfils when the channel has accepted or rejected the
 * message.
 *
 * @throws HostError `host/unknown-instance`
 */
export async function writeByHand(
  id: string,
  text: string,
  act: InterveneOptions,
  { ingress, toInstance, deliveryTimeout, isStopping }: ByHandOptions,
): Promise<Answer> {
  const event = byHandEvent(text, act, () => realWorld.uuid());
  const message = event.id;
  const letter = messageLetter(message);
  const begun = realWorld.now();
  const order: EventOrder = { at: begun, event };
  const { answer } = await ingress.call<Answered>(toInstance(id, 'take'), order);
  if (!answer.accepted) return answer;
  let givenUp = begun;
  for (let pause = pauses.first; ; pause = Math.min(pause * 2, pauses.longest)) {
    const fate = await ingress.call<Fate>(toInstance(id, 'fate'), { message });
    if (fate.type === 'delivered') return { accepted: true, state: fate.state };
    if (fate.type === 'rejected') {
      const because = `The channel has not taken it: ${fate.because}`;
      return refusal('message/not-delivered', because, fate.state);
    }
    if (isStopping()) {
      const because =
        'The host stopped before the channel accepted the message. The next host delivers it.';
      return refusal('message/not-delivered', because, fate.state);
    }
    const now = realWorld.now();
    if (now - givenUp >= deliveryTimeout) {
      givenUp = now;
      const given: GiveUpOrder = {
        at: now,
        letter,
        because: 'the channel has not accepted the messages before it yet.',
      };
      await ingress.call(toInstance(id, 'giveUp'), given);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
