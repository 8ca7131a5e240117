import type { Channel } from './channel.ts';

/** The name of the channel of whoever speaks to nobody: what it is given is taken, and goes nowhere. Every host has it. */
export const nobodyName = 'nobody';

export const nobodyChannel: Channel = { deliver: () => {} };
