import {
  type Channel,
  type ChannelConversation,
  type ChannelHost,
  isHttpChannel,
} from '@dramaturg/host';
import type { ChannelHandlers } from '@dramaturg/service';
import type { Host } from '../host.ts';

/** Channels, by their names in the host. */
export type Channels = Readonly<Record<string, Channel>>;

/**
 * Connects the channels that answer requests with the host that gets their messages.
 *
 * @param orStart the conversation that the first message of a new contact starts
 */
export function channelHandlers(
  host: Host,
  channels: Channels,
  orStart: ChannelConversation | undefined,
): ChannelHandlers {
  // Channels read the fields that events of all formats have.
  const events = host as object as ChannelHost;
  return new Map(
    Object.entries(channels).flatMap(([name, channel]) =>
      isHttpChannel(channel)
        ? [
            [
              name,
              (request: Request, address: string | undefined) =>
                channel.handle(request, { name, host: events, orStart, address }),
            ] as const,
          ]
        : [],
    ),
  );
}
