import type { Channel } from './channel.ts';

/** The name of the channel that discards every message. */
export const nobodyName = 'nobody';

/** The name of the channel of pages, which read messages from the store. */
export const pageName = 'page';

/** Channels that every host has: a message is delivered when it is stored. A host can have another channel under these names. */
export const storeChannels: ReadonlyMap<string, Channel> = new Map(
  [nobodyName, pageName].map((name) => [name, { deliver: () => {} }]),
);
