import { messageText, replyText } from '../host/stage.ts';
import { quantile } from '../host/stores.ts';
import type { Contender, ContenderSettings } from './contender.ts';
import { type ContenderName, contenders } from './contenders.ts';

export interface ProcessSettings extends ContenderSettings {
  readonly name: ContenderName;
  /** The number of conversations that the senders share. */
  readonly conversations: number;
}

/** The number of conversations that are started at a time. */
const startedTogether = 32;

/** Opens a contender and starts its conversations. Every delivered answer is compared with the expected one. */
export async function openContender(
  settings: ProcessSettings,
  onProgress: (step: string) => void,
): Promise<{ readonly load: Load; readonly close: () => Promise<void> }> {
  const { name, conversations } = settings;
  const ids = Array.from({ length: conversations }, (_, index) => `conversation-${index}`);
  const answers = new Answers();
  const contender = await contenders[name](settings, (id, text) => answers.deliver(id, text));
  onProgress(`${name}: starting ${conversations} conversations`);
  for (let from = 0; from < ids.length; from += startedTogether)
    await Promise.all(
      ids.slice(from, from + startedTogether).map(async (id) => contender.begin?.(id)),
    );
  const checked = {
    ...contender,
    turn: async (id: string, turn: number) => {
      await contender.turn(id, turn);
      answers.check(id, turn);
    },
  };
  return {
    load: new Load(checked, ids),
    close: async () => contender.close?.(),
  };
}

/** The last answer that was delivered in each conversation. */
export class Answers {
  readonly #last = new Map<string, string>();

  /** Delivers an answer, as the channel of the contenders. */
  deliver(id: string, text: string): void {
    this.#last.set(id, text);
  }

  /** @throws Error when the turn has not delivered its answer */
  check(id: string, turn: number): void {
    const text = this.#last.get(id);
    if (text !== replyText(messageText(turn)))
      throw new Error(`Turn ${turn} of ${id} delivered ${JSON.stringify(text)}.`);
  }
}

/** The results of a contender under a load: turns per second, and the duration of a turn in milliseconds. */
interface LoadResult {
  readonly turns: number;
  readonly p50: number;
  readonly p99: number;
  /** The number of turns. */
  readonly count: number;
}

/**
 * A fixed number of senders that send their next message when the receipt of the one before is stored. They share the
 * conversations evenly, and no conversation has two messages at a time.
 */
export class Load {
  readonly #contender: Contender;
  /** Conversations without a message, the longest idle first. */
  readonly #resting: { readonly id: string; turn: number }[];

  constructor(contender: Contender, ids: readonly string[]) {
    this.#contender = contender;
    this.#resting = ids.map((id) => ({ id, turn: 0 }));
  }

  /**
   * @param inFlight the number of senders
   * @param forMs no message is sent after this time
   */
  async run(inFlight: number, forMs: number): Promise<LoadResult> {
    const times: number[] = [];
    const start = performance.now();
    const send = async () => {
      while (performance.now() - start < forMs) {
        const conversation = this.#resting.shift()!;
        conversation.turn += 1;
        const sentAt = performance.now();
        await this.#contender.turn(conversation.id, conversation.turn);
        times.push(performance.now() - sentAt);
        this.#resting.push(conversation);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, send));
    const seconds = (performance.now() - start) / 1000;
    return {
      turns: times.length / seconds,
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
      count: times.length,
    };
  }
}
