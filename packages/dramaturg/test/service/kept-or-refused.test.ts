import { createHmac } from 'node:crypto';
import { telegramChannel } from '@dramaturg/channel-telegram';
import { webChannel } from '@dramaturg/channel-web';
import { webhookChannel } from '@dramaturg/channel-webhook';
import { HostError, memoryStore, type Ports, understudyPorts } from 'dramaturg';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { withoutRepeating } from '../host/without-repeating.ts';
import { example, served } from './stage.ts';

const chatSecret = 'a secret of the tests with 32 characters';
const key = Buffer.from('a secret of the two sides, 1').toString('base64');

interface Message {
  readonly contact: string;
  readonly id: string;
  readonly text: string;
  readonly data: object | undefined;
}

interface Person {
  readonly contact: string;
  readonly written: readonly Omit<Message, 'contact'>[];
}

type Post = (path: string, body: object, headers?: Record<string, string>) => Promise<Response>;

/** Sends a message of a person. Fulfils with whether the answer says that it is received, and with the contact. */
type Way = (
  post: Post,
  message: Message,
  person: number,
  number: number,
) => Promise<readonly [boolean, string]>;

const ways: Readonly<Record<string, Way>> = {
  messages: async (post, message) => {
    const answer = await post('/messages', { ...message, orStart: { definition: 'intake' } });
    return [answer.ok, message.contact];
  },
  'AG-UI': async (post, { contact, id, text }) => {
    const messages = [{ id, role: 'user', content: text }];
    const answer = await post('/ag-ui/intake', { threadId: contact, runId: 'r', messages });
    const frames = await answer.text();
    expect(frames).toMatch(/RUN_FINISHED|RUN_ERROR|"errors"/);
    return [answer.ok && !frames.includes('RUN_ERROR'), contact];
  },
  'AI SDK': async (post, { contact, id, text, data }) => {
    const parts = [{ type: 'text', text }];
    const messages = [{ id, role: 'user', metadata: data, parts }];
    const answer = await post('/chat/intake', { id: contact, messages });
    const frames = await answer.text();
    return [answer.ok && !frames.includes('"type":"error"'), contact];
  },
  webhook: async (post, { contact, id, text, data }) => {
    const event = { type: 'message.received', data: { contact, text, ...(data && { data }) } };
    const name = encodeURIComponent(Buffer.from(id).toString());
    const seconds = `${Math.floor(Date.now() / 1_000)}`;
    const mac = createHmac('sha256', Buffer.from(key, 'base64'));
    const signed = mac.update(`${name}.${seconds}.${JSON.stringify(event)}`).digest('base64');
    const answer = await post('/channels/webhook', event, {
      'webhook-id': name,
      'webhook-timestamp': seconds,
      'webhook-signature': `v1,${signed}`,
    });
    return [answer.ok, contact];
  },
  telegram: async (post, { text }, person, number) => {
    const message = { message_id: number, chat: { id: person }, text };
    const secret = { 'x-telegram-bot-api-secret-token': 'secret' };
    const update = { update_id: number, message };
    const answer = await post('/channels/telegram', update, secret);
    return [answer.ok && text !== '', `telegram:${person}`];
  },
  'web chat': async (post, { text }, person, number) => {
    const sub = `web:${person}`;
    const session = { definition: 'intake', customer: false, sub, aud: 'web', exp: 4e9 };
    const claims = { ...session, iss: 'dramaturg-web-chat', iat: Math.floor(Date.now() / 1_000) };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const content = `${part({ alg: 'HS256' })}.${part(claims)}`;
    const mac = createHmac('sha256', chatSecret).update(content).digest('base64url');
    const headers = { authorization: `Bearer ${content}.${mac}` };
    const answer = await post('/channels/web/messages', { id: `message-${number}`, text }, headers);
    return [answer.ok, sub];
  },
};

/** One arbitrary for all fields: to make one takes half a second. */
const anyText = fc.string({ unit: 'binary', maxLength: 300 });
const texts = fc.oneof(
  { weight: 60, arbitrary: anyText },
  { weight: 6, arbitrary: fc.constantFrom('', ' \n', '\u0000', '\ud800', '__proto__') },
  fc.constantFrom(100_000, 100_001, 150_000).map((length) => 'x'.repeat(length)),
);
const messages = fc.record({
  id: fc.oneof(anyText, fc.constant('i'.repeat(490))),
  text: texts,
  data: fc.option(
    fc.oneof(
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
      fc.constantFrom({ file: 'x'.repeat(40_000) }, JSON.parse('{"__proto__":{"a":1}}') as object),
    ),
    { nil: undefined },
  ),
});
/** The first message starts a conversation, which is then paused: the others only have to be kept. */
const people = fc.record({
  contact: anyText,
  written: fc.array(messages, { minLength: 25, maxLength: 25 }),
});

test('nothing is answered with success that is not stored, whatever is sent', async () => {
  const channels = {
    webhook: webhookChannel({ url: 'http://127.0.0.1:1', secret: `whsec_${key}` }),
    telegram: telegramChannel({ token: '1:a', secret: 'secret', apiUrl: 'http://127.0.0.1:1' }),
    web: webChannel({ secret: chatSecret, messagesPerMinute: 100_000 }),
  };
  const reported: string[] = [];
  const { url, host } = await served(
    { channels, orStart: { definition: 'intake' } },
    {
      channels,
      ports: shortPorts(),
      // A lifecycle without a quiet window.
      definitions: { intake: withoutRepeating(await example('customer-intake.plan')) },
      store: memoryStore(),
      onError: (_, doing) => void (doing.startsWith('receiving') && reported.push(doing)),
    },
  );
  const post: Post = (path, body, headers) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  /** What a contact has written, without white space, at which texts are divided. */
  const storedOf = async (contact: string) => {
    const { items } = await host.list({ contact }, { limit: 10 });
    const lines = await Promise.all(
      items.map(({ id }) => host.transcript(id, { from: 0, limit: 1_000 })),
    );
    const own = lines.flat().filter(({ role }) => role === 'contact');
    return packed(own.map(({ text }) => text).join(''));
  };
  const lost: unknown[] = [];
  let kept = 0;
  const talk = async (name: string, { contact: named, written }: Person, person: number) => {
    let contact = `${named}#${person}`;
    const accepted: string[] = [];
    for (const [index, message] of written.entries()) {
      const number = person * written.length + index;
      // A text is known by its number. A blank one stays blank, and the longest keep their length.
      const begun = `#${number}:${message.text}`;
      const isBlank = message.text.trim() === '';
      const text = isBlank ? message.text : begun.slice(0, Math.max(message.text.length, 1_000));
      const given = { ...message, contact, text, id: `${number}${message.id}` };
      const [isFine, of] = await ways[name]!(post, given, person, number);
      if (!isFine) continue;
      if (accepted.push(text) === 1) {
        contact = of;
        const { items } = await host.list({ contact }, { limit: 1 });
        if (items[0]) await host.pause(items[0].id);
      }
    }
    if (accepted.length === 0) return;
    const stored = await storedOf(contact).catch((error: unknown) => {
      if (error instanceof HostError) return error.code;
      throw error;
    });
    for (const text of accepted) {
      // A provider would only repeat a blank message. Reports of one kind come once in a while.
      const isReported = text.trim() === '' && reported.some((doing) => doing.endsWith(name));
      const isKept = packed(text) !== '' && stored.includes(packed(text));
      if (isKept) kept += 1;
      else if (!isReported) lost.push([name, text.slice(0, 40), stored.slice(0, 40)]);
    }
    await host.erase({ contact, running: 'end' });
  };
  const seed = Number(process.env['TEST_SEED'] ?? 1);
  const names = Object.keys(ways);
  // TEST_REQUESTS=10000: of each kind. One takes about 6 ms of the processor.
  const each = Number(process.env['TEST_REQUESTS'] ?? (runsAll ? 250 : 25)) / 25;
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < names.length * each; at = next++) {
      const [person] = fc.sample(people, { numRuns: 1, seed: seed * 1_000_000 + at });
      await talk(names[at % names.length]!, person!, at);
    }
  };
  await Promise.all(Array.from({ length: 10 }, lane));
  expect(kept).toBeGreaterThan(names.length * each * 12);
  expect(lost).toEqual([]);
});

/** The understudy, which reads the beginnings of messages only. */
function shortPorts(): Partial<Ports> {
  const ports = understudyPorts();
  return {
    ...ports,
    extract: (input, call) =>
      ports.extract({ ...input, message: input.message?.slice(0, 20) }, call),
    reply: async () => ({ text: 'Yes.' }),
  };
}

function packed(text: string): string {
  return text.replaceAll(/\s+/gu, '');
}
