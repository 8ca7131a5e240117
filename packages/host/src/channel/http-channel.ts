import type { FirstConversation, Host } from '../host/host.ts';
import type { Channel } from './channel.ts';

/**
 * A channel whose provider also calls the service: with messages of people, with delivery reports, or with a page that people
 * open. `createHost` and `serveHost` get the same object.
 */
export interface HttpChannel extends Channel {
  /** The most bytes of a body on a host that keeps files, if that is more than the limit of the service. */
  readonly bodyBytes?: number | undefined;
  /**
   * Answers a request below `/channels/<name>/`. The sender was not checked: the channel verifies the signature of its provider.
   * The body is unchanged, within the limits of the service.
   */
  readonly handle: (request: Request, context: ChannelContext) => Promise<Response> | Response;
}

/** The context of a request to a channel. */
export interface ChannelContext {
  /** The name of the channel in its host. */
  readonly name: string;
  readonly host: ChannelHost;
  /** The conversation that the first message of a new contact starts. Without it, such messages are not kept. */
  readonly orStart?: ChannelConversation | undefined;
  /** The address by which the service counts the client's requests. */
  readonly address?: string | undefined;
}

/** The commands of the host that channels use. */
export type ChannelHost = Pick<
  Host,
  | 'receive'
  | 'reportDelivery'
  | 'reportError'
  | 'keepsFiles'
  | 'start'
  | 'events'
  | 'cursor'
  | 'list'
  | 'get'
  | 'charts'
  | 'transcript'
>;

/** A conversation that channels start. The channel adds its own name. */
export type ChannelConversation = Omit<FirstConversation, 'id' | 'channel'>;

/** Whether a channel answers requests. */
export function isHttpChannel(channel: Channel): channel is HttpChannel {
  return 'handle' in channel && typeof channel.handle === 'function';
}
