import type { Readable } from 'node:stream';
import type { HostEvent } from '@dramaturg/host';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { RemoteError } from '../failure.ts';
import { problemSchema } from '../problem.ts';
import { wire } from '../wire/wire.ts';

/** The events of a host as they happen. */
export interface Events extends AsyncIterable<HostEvent> {
  readonly close: () => void;
}

/** The events in a stream of server-sent events. The iteration ends when the host stops. */
export function eventsIn(stream: Readable): Events {
  return {
    [Symbol.asyncIterator]: () => read(stream),
    close: () => void stream.destroy(),
  };
}

async function* read(stream: Readable): AsyncGenerator<HostEvent> {
  stream.setEncoding('utf8');
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  try {
    for await (const part of stream) {
      parser.feed(part as string);
      for (const { event: kind, data } of messages.splice(0)) {
        if (kind === 'end') return;
        if (kind === 'problem') throw new RemoteError(problemSchema.parse(JSON.parse(data)));
        const event = wire.hostEvent.safeParse(JSON.parse(data));
        if (event.success) yield event.data as HostEvent;
      }
    }
  } catch (error) {
    // A killed host resets the connection. For the listener it has stopped.
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
  }
}
