import { expect, onTestFinished, test } from 'vitest';
import { emailChannel } from '../src/index.ts';
import { MailServer } from '../src/testing/index.ts';

const inbound = 'postmark:another-long-password';

async function stage() {
  const server = await new MailServer('desk', 'correct-horse-battery').listen();
  onTestFinished(() => server.close());
  const make = () =>
    emailChannel({
      smtp: `smtp://desk:correct-horse-battery@${server.url}`,
      from: 'Desk <desk@example.com>',
      replyTo: 'desk@inbound.example.com',
      inbound,
      isPlain: true,
    });
  return { server, make };
}

const message = {
  id: 'a/0/reply',
  instance: 'a',
  contact: 'ada@example.org',
  role: 'agent',
  text: 'Grüße, 漢字.',
  at: 0,
} as const;

const within = () => ({ signal: AbortSignal.timeout(10_000) });

test('a mail that is sent again after a crash has the same Message-ID', async () => {
  const { server, make } = await stage();
  await make().deliver(message, within());
  await make().deliver(message, within());
  const ids = server.shown.map(({ headers }) => headers['message-id']);

  expect(ids).toEqual([expect.stringMatching(/^<[0-9a-f]{40}@example\.com>$/), ids[0]]);
  expect(server.shown[0]?.text).toBe(message.text);
});

test('the mails of an instance are in one thread, and an answer is in the thread of the person', async () => {
  const { server, make } = await stage();
  const channel = make();
  await channel.deliver(message, within());
  const record = {
    FromFull: { Email: 'Ada@example.org' },
    MessageID: 'm1',
    Subject: 'Re: A question',
    TextBody: 'Hello.',
    Headers: [
      { Name: 'X-Spam-Tests', Value: 'DKIM_VALID_AU' },
      { Name: 'Message-ID', Value: '<1@mail.example>' },
    ],
  };
  const host = { receive: async () => ({ instance: 'a', accepted: true, state: 'WORKING' }) };
  await channel.handle(
    new Request('http://host/channels/email', {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(inbound)}` },
      body: JSON.stringify(record),
    }),
    { name: 'email', host: host as never },
  );
  await channel.deliver({ ...message, id: 'a/1/reply' }, within());
  const [first, second] = server.shown.map(({ headers }) => headers);

  expect(first).toMatchObject({ subject: 'Message', 'reply-to': 'desk@inbound.example.com' });
  expect(second).toMatchObject({ subject: 'Re: A question', 'in-reply-to': '<1@mail.example>' });
  expect(second?.['references']).toBe(`${first?.['references']} <1@mail.example>`);
});

test.each(['no address', 'a@b, c@d', 'Ada <ada@example.org>', 'a\r\nBcc: c@d.example', null])(
  'the contact %o is rejected for good',
  async (contact) => {
    const { server, make } = await stage();

    await expect(make().deliver({ ...message, contact }, within())).rejects.toMatchObject({
      code: 'channel/rejected',
    });
    expect(server.shown).toEqual([]);
  },
);
