import { compile, type Ports } from '@dramaturg/compiler';
import {
  createHost,
  type Definition,
  type Host,
  type HostOptions,
  type StoreLocation,
} from '@dramaturg/host';
import { conversationLifecycle, lifecycle } from '@dramaturg/lifecycle';
import { rehearsalBehaviour, rehearsalCharts } from '@dramaturg/testing';

/** Notifies the sender of a message, in the same process, that its answer was delivered or that the receipt is stored. */
export class Receipts {
  readonly #waiting = new Map<string, () => void>();

  /** Fulfils with the next receipt of a conversation. */
  next(id: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  fulfil(id: string): void {
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }
}

const { chart: lifecycleChart } = compile(JSON.stringify(conversationLifecycle), {
  formats: [lifecycle],
});

/** A message of a typical length. */
export function messageText(turn: number): string {
  return `This is message ${turn}, and it is about as long as those that people write.`;
}

export function replyText(message: string | undefined): string {
  return `You said: "${message}" Tell me a little more about that, please, so that I can help you.`;
}

/** A host whose agent answers at once and whose channel accepts every message. */
export class Stage {
  readonly host: Host;
  readonly #receipts = new Receipts();

  private constructor(host: Host) {
    this.host = host;
    void this.#watchReceipts();
  }

  static readonly definitions: readonly Definition[] = [
    { name: 'chat', chart: rehearsalCharts.chat, lifecycle: lifecycleChart! },
  ];

  static readonly ports: Partial<Ports> = {
    reply: ({ message }) => ({ text: replyText(message) }),
  };

  static async open(store: StoreLocation, more: Partial<HostOptions> = {}): Promise<Stage> {
    return new Stage(await createHost({ store, ...Stage.options, ...more }));
  }

  static readonly options = {
    definitions: Stage.definitions,
    behaviours: new Map([
      ['rehearsal', rehearsalBehaviour],
      [lifecycle.name, lifecycle.behaviour],
    ]),
    ports: Stage.ports,
    channels: { main: { deliver: () => {} } },
  };

  /** Starts a conversation and waits for the greeting. Its contact has the id of the instance. */
  async begin(id: string, heartbeat?: object): Promise<void> {
    const greeted = this.receiptOf(id);
    await this.host.start('chat', {
      id,
      contact: id,
      lifecycleInput: heartbeat ? { heartbeat_config: heartbeat } : {},
    });
    await greeted;
  }

  /** Sends a message, and waits for the receipt of its answer. */
  async turn(id: string, turn: number): Promise<void> {
    const answered = this.receiptOf(id);
    await this.say(id, turn);
    await answered;
  }

  /** Sends a message and waits until it is stored. The turn may still be running. */
  async say(id: string, turn: number): Promise<void> {
    const message = `message-${String(turn).padStart(6, '0')}`;
    const routed = await this.host.receive({ contact: id, id: message, text: messageText(turn) });
    if (routed.instance !== id || !routed.accepted) throw new Error(JSON.stringify(routed));
  }

  stop(): Promise<void> {
    return this.host.stop();
  }

  /** Resolves when the next message of an instance is delivered and the receipt is stored. */
  receiptOf(id: string): Promise<void> {
    return this.#receipts.next(id);
  }

  async #watchReceipts(): Promise<void> {
    for await (const { instance } of this.host.events({ types: ['message.delivered'] })) {
      this.#receipts.fulfil(instance);
    }
  }
}
