import { type HostEvent, journalLine, type MessageRole } from '../instance/event.ts';

import type { LiveInstance } from '../instance/live-instance.ts';
import type { RunnerContext } from './runner-context.ts';

/**
 * Sends the stored messages of one instance to its channel, one after another, and stores the delivery receipts. It is
 * `idle`, or `sending` until no message is left that this host can deliver.
 */
export class MessageSender {
  readonly #runner: RunnerContext;
  #sending: Promise<void> | undefined;
  /** Letters that stay in the outbox, because this host does not have their channel. */
  readonly #withoutChannel = new Set<string>();

  constructor(runner: RunnerContext) {
    this.#runner = runner;
  }

  get isIdle(): boolean {
    return this.#sending === undefined;
  }

  apply(): void {
    if (this.#nextMessage()) this.#sending ??= this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    const { instance, services, step, isRunning } = this.#runner;
    // The caller of the step that decided the message goes on first.
    await Promise.resolve();
    for (;;) {
      const message = this.#nextMessage();
      if (!message || !isRunning()) break;
      const { letter, body } = message;
      const { address, channel } = body.to ?? instance.state;
      const outcome = await services.deliveries.transmit(
        { instance: instance.id, address, channel, body },
        () => isRunning() && this.#nextMessage()?.letter === letter,
      );
      if (!isRunning()) break;
      if (outcome.type === 'kept') this.#withoutChannel.add(letter);
      try {
        if (outcome.type === 'refused')
          await step((each) => each.decideRejected(letter, outcome.because));
        else if (outcome.type === 'sent') await this.#storeReceipt(letter, body.role);
      } catch {
        // The runner is broken. The next runner of the instance goes on from the stored outbox.
        break;
      }
    }
    this.#sending = undefined;
    this.#runner.onRest();
  }

  #nextMessage(): LiveInstance['messages'][number] | undefined {
    return this.#runner.instance.messages.find(({ letter }) => !this.#withoutChannel.has(letter));
  }

  /** After this, the channel never gets the message again. */
  async #storeReceipt(letter: string, role: MessageRole): Promise<void> {
    const { instance, services, step, betweenSteps } = this.#runner;
    if (role === 'manual') {
      await step((each) => each.decideDelivered(letter));
      return;
    }
    await betweenSteps(async () => {
      const { store, now, publish } = services;
      const { id } = instance;
      const delivered: HostEvent = {
        instance: id,
        at: now(),
        source: 'host',
        event: { type: 'message.delivered', id: letter.slice('message:'.length), role },
      };
      await store.acknowledge({ id, letter, journal: [journalLine(delivered)] });
      instance.acknowledged(letter);
      publish([delivered]);
    });
  }
}
