export type { WebChannelOptions } from './options.ts';
export { webChannel } from './web-channel.ts';
export { defaultWording, type Wording } from './wording.ts';
