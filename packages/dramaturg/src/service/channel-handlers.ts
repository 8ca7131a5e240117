import type { Channel, ChannelConversation } from '@dramaturg/host';
import { type ChannelHost, isHttpChannel } from '@dramaturg/host/channel';
import { isTraceparent } from '@dramaturg/host/engine';
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
                channel.handle(request, {
                  name,
                  host: sentWithin(events, request),
                  orStart,
                  address,
                }),
            ] as const,
          ]
        : [],
    ),
  );
}

/** The host for one request: what it starts and receives has the trace of the request. */
function sentWithin(host: ChannelHost, { headers }: Request): ChannelHost {
  const traceparent = headers.get('traceparent');
  if (!isTraceparent(traceparent)) return host;
  return {
    receive: (message) => host.receive({ ...message, traceparent }),
    start: (definition, options) => host.start(definition, { ...options, traceparent }),
    reportDelivery: (report) => host.reportDelivery(report),
    reportError: (error, doing) => host.reportError(error, doing),
    events: (filter) => host.events(filter),
    cursor: (filter) => host.cursor(filter),
    list: (filter, page) => host.list(filter, page),
    get: (id) => host.get(id),
    charts: (id) => host.charts(id),
    transcript: (id, range) => host.transcript(id, range),
  };
}
