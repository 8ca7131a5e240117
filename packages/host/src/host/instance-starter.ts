import type { LoadedDefinition } from '../definitions/library.ts';
import type { Birth } from '../instance/state.ts';
import type { StoredSteps } from '../instance/step-result.ts';
import { birthOf } from './birth.ts';
import type { ContactQueue, ContactQueues } from './contact-queues.ts';
import type { EarlierMessages } from './earlier-messages.ts';
import type { InstanceCreator } from './instance-creator.ts';
import type { AddressedStart } from './options.ts';
import { type Channels, messageRepeated, requireChannel, requireId } from './request.ts';
import type { Runner } from './runner.ts';

/** The options of a start, by a person or by the host, with the contact in its canonical form. Only the host starts children and copies. */
export type StartOrder = Omit<AddressedStart, 'channel' | 'needs'> & {
  readonly channel?: string | null;
} & Pick<Birth, 'copy' | 'parent'>;

type KnownOrder = StartOrder & { readonly id: string; readonly channel: string | null };

type Occupation = Awaited<ReturnType<ContactQueue['occupation']>>;

export interface DefinitionsToStart {
  readonly definition: LoadedDefinition;
  /** Definitions that are stored with the instance. */
  readonly needs: readonly LoadedDefinition[];
}

/** A start that was checked. */
export interface PreparedStart {
  readonly options: AddressedStart;
  /** Loads the definitions, when it is the turn of this start. */
  readonly load: () => Promise<DefinitionsToStart>;
}

export interface Started {
  readonly id: string;
  readonly state: string;
}

export interface InstanceStarterOptions {
  readonly earlierMessages: EarlierMessages;
  readonly channels: Channels;
  readonly contactQueues: ContactQueues;
  readonly creator: InstanceCreator;
  readonly uuid: () => string;
  /** Publishes the stored first step. */
  readonly onStarted: (runner: Runner, stored: StoredSteps) => void;
}

/** Puts new instances in the queue of their contact, and creates them there. */
export class InstanceStarter {
  readonly #options: InstanceStarterOptions;

  constructor(options: InstanceStarterOptions) {
    this.#options = options;
  }

  /**
   * Starts an instance.
   *
   * Enters the queue of the contact before it awaits anything: the order of calls is the order in the queue.
   *
   * @param load loads the definitions, when it is the turn of this start
   */
  async start(load: () => Promise<DefinitionsToStart>, order: StartOrder): Promise<Started> {
    const { contact } = order;
    const known = this.#checked(order);
    if (contact === undefined)
      return this.#create(load, known, { isHeld: false, lastCreatedAt: -Infinity });
    return this.#options.contactQueues.exclusive(contact, async (queue) =>
      this.#create(load, known, await queue.occupation(order.parent?.ancestors)),
    );
  }

  /** Starts an instance with the contact of a queue, during exclusive work with the queue. */
  async startIn(queue: ContactQueue, { load, options }: PreparedStart): Promise<Started> {
    return this.#create(load, this.#checked(options), await queue.occupation());
  }

  #checked(order: StartOrder): KnownOrder {
    const { id = this.#options.uuid(), channel = null, parent } = order;
    // The id and the channel of a child come from its parent. This host may not have the channel.
    if (!parent) {
      requireId(id);
      requireChannel(channel, this.#options.channels);
    }
    return { ...order, id, channel };
  }

  async #create(
    load: () => Promise<DefinitionsToStart>,
    order: KnownOrder,
    { isHeld, lastCreatedAt }: Occupation,
  ): Promise<Started> {
    const { id } = order;
    const definitions = await load();
    const { definition, needs } = definitions;
    const { creator, earlierMessages, onStarted } = this.#options;
    const { contact, message, parent } = order;
    const ids = [message?.id];
    if (contact !== undefined && (await earlierMessages.receiversOf(contact, ids)).size > 0)
      throw messageRepeated(message?.id);
    const birth = { ...birthOf(order, definition), queued: isHeld, ...(parent ? { parent } : {}) };
    const { runner, stored } = await creator.create(definition, birth, lastCreatedAt, needs);
    onStarted(runner, stored);
    return { id, state: runner.stored.status };
  }
}
