import { type Channel, RejectedError } from '../channel/channel.ts';
import type { Library } from '../definitions/library.ts';
import { listAll } from '../erasure/family.ts';
import { carrierStarts, isCarrierStop, wordIn } from '../instance/spoken-words.ts';
import type { Store, StoreReader } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import type { Channels } from './request.ts';
import type { Routed } from './routed.ts';
import { Serial } from './serial.ts';

/**
 * @param name of the channel
 * @param contact as the message names it
 * @throws RejectedError when the contact has opted out of messages on the channel
 */
export async function requireOptedIn(
  store: Pick<StoreReader, 'read'>,
  name: string,
  channel: Channel,
  contact: string | null,
): Promise<void> {
  if (contact === null) return;
  const key = channel.contactKey?.(contact) ?? contact;
  if (await store.read(optOutOf(name, key)))
    throw new RejectedError(
      `the contact has opted out of messages on the channel "${name}", until they send START.`,
    );
}

export interface OptOutsOptions {
  readonly store: Store;
  readonly channels: Channels;
  readonly library: Pick<Library, 'startWords'>;
  readonly channelOf: (instance: string) => Promise<string | undefined>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** What the host has recognised in a message. */
interface Heard {
  readonly word: 'stop' | 'start' | undefined;
  /** The carrier acts on the message as a stop. */
  readonly isStop: boolean;
}

/**
 * Owns the opt-outs: a record for each contact and channel. Carriers act on some words themselves, so on their channels the host
 * acts on these words, regardless of the definition. Spec: docs/formats/lifecycle.md#words
 */
export class OptOuts {
  readonly #options: OptOutsOptions;
  readonly #checks = new Serial();

  constructor(options: OptOutsOptions) {
    this.#options = options;
  }

  /**
   * Recognises the words of a message, and deletes the opt-outs that it ends.
   *
   * @param contact in its canonical form
   * @returns without a promise unless the message may end opt-outs or comes after one that may: most messages are routed
   *   immediately, in the order of the calls
   */
  hear(contact: string, channel: string | undefined, text: unknown): Heard | Promise<Heard> {
    const { channels, library } = this.#options;
    const word = wordIn(text);
    const isCarriers = hasCarrierWords(channel ?? firstOf(channels), channels);
    const isStop = isCarriers && isCarrierStop(word);
    const heard: Heard = { word: isStop ? 'stop' : undefined, isStop };
    const mayStart = library.startWords.has(word) || (isCarriers && carrierStarts.has(word));
    if (!mayStart && !this.#checks.isBusy(contact)) return heard;
    return this.#checks.run(contact, async () => {
      if (!mayStart) return heard;
      const optOuts = await this.#of(contact, channel);
      for (const id of optOuts) await this.#options.store.delete(id);
      return optOuts.length > 0 ? { word: 'start', isStop } : heard;
    });
  }

  /** Opts the contact out when a message was a stop. */
  async noteRouted(
    contact: string,
    channel: string | undefined,
    { isStop }: Heard,
    routed: Routed,
  ): Promise<void> {
    if (!isStop && !(routed.accepted && routed.heard === 'stop')) return;
    const { channels } = this.#options;
    await this.#add(contact, channel ?? (await this.#channelOf(routed)) ?? firstOf(channels));
  }

  async has(contact: string, channel: string | undefined): Promise<boolean> {
    return (await this.#of(contact, channel)).length > 0;
  }

  async #of(contact: string, channel: string | undefined): Promise<readonly string[]> {
    const { store } = this.#options;
    if (channel === undefined)
      return (await listAll(store, { kind: 'opt-out', contact })).map(({ id }) => id);
    const id = optOutOf(channel, contact);
    return (await store.read(id)) ? [id] : [];
  }

  async #channelOf({ instance }: Routed): Promise<string | undefined> {
    return instance === null ? undefined : this.#options.channelOf(instance);
  }

  async #add(contact: string, channel: string): Promise<void> {
    const { store, now } = this.#options;
    const id = optOutOf(channel, contact);
    const snapshot = { channel };
    try {
      await store.create({
        id,
        kind: 'opt-out',
        contact,
        status: 'kept',
        createdAt: now(),
        snapshot,
      });
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'store/exists')) throw error;
    }
  }
}

function firstOf(channels: Channels): string {
  return Object.keys(channels)[0] ?? '';
}

function hasCarrierWords(name: string, channels: Channels): boolean {
  const channel = Object.hasOwn(channels, name) ? channels[name] : undefined;
  return channel?.hasCarrierWords ?? /^(sms|whatsapp)$/i.test(name);
}

/** The prefix of the ids of the records of contacts who have opted out of a channel. */
const optOutPrefix = 'host:opt-out/';

/**
 * The id of the record that a contact has opted out of a channel.
 *
 * @param contact in its canonical form
 */
function optOutOf(channel: string, contact: string): string {
  return optOutPrefix + JSON.stringify([channel, contact]);
}
