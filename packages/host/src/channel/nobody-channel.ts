import type { Channel } from './channel.ts';

/** The name of the channel that discards every message. Every host has it. */
export const nobodyName = 'nobody';

export const nobodyChannel: Channel = { deliver: () => {} };
