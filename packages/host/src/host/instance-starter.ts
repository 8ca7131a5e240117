import type { LoadedDefinition } from '../definitions/library.ts';
import type { Birth } from '../instance/state.ts';
import type { StoredSteps } from '../instance/step-result.ts';
import type { Store } from '../store/contract.ts';
import type { Channel } from '../channel/channel.ts';
import { birthOf } from './birth.ts';
import type { ContactQueues } from './contact-queues.ts';
import type { InstanceCreator } from './instance-creator.ts';
import type { StartOptions } from './options.ts';
import { predecessorOf } from './predecessor.ts';
import { requireChannel, requireContact, requireId, requireNewMessage } from './request.ts';
import type { Runner } from './runner.ts';

/** The options of a start, by a person or by the host. Only the host starts children and copies. */
export type StartOrder = Omit<StartOptions, 'channel' | 'needs'> & {
  readonly channel?: string | null;
} & Pick<Birth, 'copy' | 'parent'>;

export interface DefinitionsToStart {
  readonly definition: LoadedDefinition;
  /** Definitions that are stored with the instance. */
  readonly needs: readonly LoadedDefinition[];
}

export interface Started {
  readonly id: string;
  readonly state: string;
}

export interface InstanceStarterOptions {
  readonly store: Store;
  readonly channels: Readonly<Record<string, Channel>>;
  readonly contactQueues: ContactQueues;
  readonly creator: InstanceCreator;
  readonly uuid: () => string;
  /** Publishes the first step, which is stored. */
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
    const { id = this.#options.uuid(), contact, channel = null, parent } = order;
    // The id and the channel of a child come from its parent. This host may not have the channel.
    if (!parent) {
      requireId(id);
      requireChannel(channel, this.#options.channels);
    }
    const key = contact === undefined ? undefined : requireContact(contact);
    const create = async (queue: { readonly isHeld: boolean; readonly lastCreatedAt: number }) => {
      const definitions = await load();
      const birth = await this.#birthOf({ ...order, id, channel }, key, queue.isHeld, definitions);
      const { definition, needs } = definitions;
      const { creator, onStarted } = this.#options;
      const { runner, stored } = await creator.create(
        definition,
        birth,
        queue.lastCreatedAt,
        needs,
      );
      onStarted(runner, stored);
      return runner.stored.status;
    };
    const state =
      key === undefined
        ? await create({ isHeld: false, lastCreatedAt: -Infinity })
        : await this.#options.contactQueues.exclusive(key, async (queue) =>
            create(await queue.occupation()),
          );
    return { id, state };
  }

  async #birthOf(
    order: StartOrder & { readonly id: string; readonly channel: string | null },
    key: string | undefined,
    isHeld: boolean,
    { definition }: DefinitionsToStart,
  ): Promise<Birth> {
    const { message, parent } = order;
    const birth = birthOf(order, definition);
    // A queued instance gets this when its turn comes.
    const before =
      key === undefined || isHeld ? undefined : await predecessorOf(key, this.#options.store);
    requireNewMessage(message, before?.seen);
    return {
      ...birth,
      queued: isHeld,
      ...(parent ? { parent } : {}),
      ...(before ? { seenBefore: before.seen } : {}),
    };
  }
}
