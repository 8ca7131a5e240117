import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { webChannel, type WebChannelOptions } from '@dramaturg/channel-web';
import {
  compile,
  conversationLifecycle,
  createHost,
  type HostOptions,
  type Ports,
  sqliteStore,
  understudyPorts,
} from 'dramaturg';
import { serveHost } from 'dramaturg/service';
import { onTestFinished } from 'vitest';
import type { ChatFrame } from '../src/protocol.ts';
import { intake } from './intake.ts';
import { secret } from './secrets.ts';

/** Ports that answer with a text, word by word. */
export function speaking(text: string, wordDelayMs = 0): Partial<Ports> {
  return {
    ...understudyPorts(),
    reply: async (_, call) => {
      for (const word of text.split(/(?<= )/)) {
        call.onText(word);
        if (wordDelayMs > 0) await pause(wordDelayMs, undefined, { signal: call.signal });
      }
      return { text };
    },
  };
}

/** Serves a web chat until the test ends. */
export async function served(
  options: WebChannelOptions = {},
  hostOptions: Partial<HostOptions> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-web-'));
  const channels = { web: webChannel({ secret, ...options }) };
  const host = await createHost({
    store: sqliteStore(join(folder, 'data.db')),
    // A lifecycle of its own has no quiet window, so no turn waits for more messages.
    definitions: {
      intake: {
        definition: await intake(),
        lifecycle: compile(JSON.stringify(conversationLifecycle)),
      },
    },
    ports: understudyPorts(),
    channels,
    ...hostOptions,
  });
  const service = await serveHost(host, {
    http: '127.0.0.1:0',
    channels,
    orStart: { definition: 'intake' },
    // Everything else needs a token, which nobody has.
    tokens: () => undefined,
  });
  onTestFinished(async () => {
    await host.stop({ within: 1_000 });
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const url = `${service.url}/channels/web/`;
  return { host, service, url, ...clientOf(url) };
}

/** Requests of a page. */
export function clientOf(url: string) {
  const ask = (
    path: string,
    token?: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ) =>
    fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const begin = async (body: object = {}, token?: string): Promise<string> => {
    const response = await ask('session', token, body);
    return ((await response.json()) as { token: string }).token;
  };
  const say = async (token: string, id: string, text: string): Promise<number> =>
    (await ask('messages', token, { id, text })).status;
  return { ask, begin, say };
}

/** Reads the frames of a stream until one is found. @returns all frames so far */
export async function framesUntil(
  response: Response,
  isFound: (frame: ChatFrame) => boolean,
): Promise<readonly ChatFrame[]> {
  const frames: ChatFrame[] = [];
  let unread = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    unread += chunk;
    const events = unread.split('\n\n');
    unread = events.pop()!;
    for (const event of events) {
      if (!event.startsWith('data: ')) continue;
      const frame = JSON.parse(event.slice(6)) as ChatFrame;
      frames.push(frame);
      if (isFound(frame)) return frames;
    }
  }
  return frames;
}
