import { type Compiled, hasErrors, isRecord, type JsonObject } from '@dramaturg/compiler';
import type { Channel, ChannelConversation, Definition } from '@dramaturg/host';
import { type ChannelHost, isHttpChannel } from '@dramaturg/host/channel';
import { isTraceparent } from '@dramaturg/host/engine';
import type { ChannelHandlers } from '@dramaturg/service';
import {
  type DefinitionFile,
  RequestError,
  type ServedHost,
  servedOperations,
  type ServedOperations,
} from '@dramaturg/service/client';
import { inputFor } from '../form-input.ts';
import { type Host, hosted } from '../host.ts';
import { kindOf } from '../known-formats.ts';
import { compileBeside } from './compile-beside.ts';

export interface LocalHostOptions {
  /** The names of the host's channels. */
  readonly channels: readonly string[];
  /** The channels that answer requests. */
  readonly channelHandlers?: ChannelHandlers | undefined;
  /** The store of the host, as commands name it. They reach a served host through a socket of the store. */
  readonly store?: string | undefined;
  /** The address of an inspector of the store. The desk leads operators to it. */
  readonly inspector?: string | undefined;
  /** Copies the store to a path. */
  readonly backup?: (target: string) => Promise<void>;
}

/** A host in this process, with its operations. */
export interface LocalHost extends ServedOperations {
  readonly host: Host;
  readonly channelHandlers: ChannelHandlers | undefined;
  readonly store: string | undefined;
}

export function localHost(
  host: Host,
  {
    channels,
    channelHandlers: handlers,
    store,
    inspector,
    backup = (target) => host.backup(target),
  }: LocalHostOptions,
): LocalHost {
  const operations = servedOperations({
    host,
    channels,
    backup,
    inspector,
    compile: hostedFile,
    check: async (file) => (await compileBeside({ ...file, checkOnly: true })).diagnostics,
    inputOf,
  });
  return { ...operations, host, channelHandlers: handlers, store };
}

const inputOf: ServedHost['inputOf'] = (format, input, by): JsonObject => {
  if (kindOf(format) === 'workflow') {
    const context = { Execution: { Requestor: by ?? null } };
    return { input: input ?? {}, ...(by === undefined ? {} : { context }) };
  }
  if (input === undefined) return {};
  if (!isRecord(input)) {
    throw new RequestError('request/refused', 'The input is not a JSON object.', {
      hint: `Write it like this: --input '{"name": "value"}'.`,
    });
  }
  return inputFor(format, input);
};

/**
 * A definition that was sent as a text, for a host.
 *
 * @throws RequestError `definition/errors`, `definition/too-large`
 */
export async function hostedFile({ name, ...file }: DefinitionFile): Promise<Definition> {
  const compiled = await compileBeside(file);
  if (!hasErrors(compiled.diagnostics))
    return hosted(name, { ...compiled, source: { text: file.text } } as Compiled);
  throw new RequestError('definition/errors', `The definition "${name}" has errors.`, {
    hint: 'Run "dramaturg check" to see them.',
    errors: compiled.diagnostics
      .filter(({ severity }) => severity === 'error')
      .map(({ message, range: { start } }) => ({
        path: '/text',
        detail: `${start.line}:${start.column} ${message}`,
      })),
  });
}

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
              {
                bodyBytes: host.keepsFiles ? channel.bodyBytes : undefined,
                handle: (request: Request, address: string | undefined) =>
                  channel.handle(request, {
                    name,
                    host: sentWithin(events, request),
                    orStart,
                    address,
                  }),
              },
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
    keepsFiles: host.keepsFiles,
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
