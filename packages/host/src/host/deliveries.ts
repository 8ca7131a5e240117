import type { Priority } from '../admission/lane.ts';
import type { Channel } from '../channel/channel.ts';
import { storeChannels } from '../channel/store-channels.ts';
import type { MessageLetter } from '../instance/letter.ts';
import { ChannelLane, type ChannelLaneOptions, messageKey } from './channel-lane.ts';

export interface DeliveryOptions extends Omit<
  ChannelLaneOptions,
  'name' | 'channel' | 'concurrency'
> {
  readonly channels: ReadonlyMap<string, Channel>;
  /** How many messages a channel gets at the same time. */
  readonly concurrencyOf: (channel: string) => number;
}

/** The next message of an instance on one route. */
export interface MessageRequest {
  readonly instance: string;
  readonly contact: string | undefined;
  readonly route: string;
  /** The name of the channel; null for the first channel of the host. */
  readonly channel: string | null;
  readonly priority: Priority;
}

/** The priority of a message: its author waits for a message by hand, and nobody waits for a reminder. */
export function priorityOf({ role, isReminder }: MessageLetter): Priority {
  if (role === 'manual') return 'urgent';
  return isReminder ? 'batch' : 'interactive';
}

/** Gives each message to the lane of its channel. */
export class Deliveries {
  readonly #options: DeliveryOptions;
  readonly #lanes = new Map<string | undefined, ChannelLane>();

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** Queues the next message of a route, unless it is queued. */
  request({ instance, contact, route, channel, priority }: MessageRequest): void {
    this.#laneOf(channel ?? this.#options.channels.keys().next().value).add({
      key: messageKey(instance, route),
      group: contact ?? instance,
      priority,
    });
  }

  #laneOf(name: string | undefined): ChannelLane {
    const known = this.#lanes.get(name);
    if (known) return known;
    const { channels, concurrencyOf } = this.#options;
    const channel = channels.get(name ?? '') ?? storeChannels.get(name ?? '');
    const concurrency = concurrencyOf(name ?? '');
    const lane = new ChannelLane({ ...this.#options, name, channel, concurrency });
    this.#lanes.set(name, lane);
    return lane;
  }
}
