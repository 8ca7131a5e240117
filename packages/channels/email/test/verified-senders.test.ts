import { createHost, memoryStore } from '@dramaturg/host';
import { expect, onTestFinished, test } from 'vitest';
import { emailChannel, type EmailOptions } from '../src/index.ts';

const inbound = 'postmark:another-long-password';

/** What becomes of a message of Ada with these headers. */
async function received(
  headers: readonly (readonly [string, string])[],
  { author = 'ada@example.org', ...options }: Partial<EmailOptions> & { author?: string } = {},
) {
  const errors: unknown[] = [];
  const channel = emailChannel({
    smtp: 'smtp://desk:correct-horse-battery@127.0.0.1:1',
    from: 'Desk <desk@example.com>',
    inbound,
    ...options,
  });
  const host = await createHost({
    store: memoryStore(),
    definitions: [],
    behaviours: new Map(),
    channels: { email: channel },
    onError: (error, doing) => {
      const { code } = error as { code?: unknown };
      // No conversation begins here.
      if (code !== 'host/no-holder') errors.push([code, doing]);
    },
  });
  onTestFinished(() => host.stop());
  const messages: unknown[] = [];
  const receive = host.receive.bind(host);
  host.receive = (message) => {
    messages.push(message);
    return receive(message);
  };
  const record = {
    FromFull: { Email: author },
    MessageID: 'm1',
    TextBody: 'Hello.',
    Headers: headers.map(([Name, Value]) => ({ Name, Value })),
  };
  const answer = await channel.handle(
    new Request('http://host/channels/email', {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(inbound)}` },
      body: JSON.stringify(record),
    }),
    { name: 'email', host },
  );
  return { status: answer.status, messages, errors };
}

const pass = [
  'Received-SPF',
  'Pass (authorized) identity=mailfrom; client-ip=192.0.2.1; helo=mx.example.org; envelope-from=bounce@example.org; receiver=desk@inbound.example.com',
] as const;
const signed = ['X-Spam-Tests', 'DKIM_SIGNED,DKIM_VALID,DKIM_VALID_AU,SPF_PASS'] as const;
const results = (...values: readonly string[]) =>
  values.map((value) => ['Authentication-Results', value] as const);

test.each([
  ['a signature of the domain of the author', [signed]],
  ['SPF of the domain of the author', [pass]],
  ['a header in another case', [[signed[0].toUpperCase(), signed[1]] as const]],
])('Postmark verifies a sender by %s', async (_, headers) => {
  expect(await received(headers)).toMatchObject({
    status: 200,
    messages: [{ contact: 'ada@example.org', channel: 'email' }],
    errors: [],
  });
});

test.each<[string, readonly (readonly [string, string])[]]>([
  ['no verdict', []],
  ['a signature of another domain', [['X-Spam-Tests', 'DKIM_SIGNED,DKIM_VALID,SPF_PASS']]],
  ['a failed SPF', [[pass[0], pass[1].replace('Pass', 'Fail')]]],
  ['SPF of another domain', [[pass[0], pass[1].replace('bounce@example.org', 'a@evil.example')]]],
  [
    'SPF of a domain that ends alike',
    [[pass[0], pass[1].replace('@example.org', '@badexample.org')]],
  ],
  ['SPF of a top-level domain', [[pass[0], pass[1].replace('@example.org', '@org')]]],
  [
    'two senders of one SPF',
    [[pass[0], pass[1].replace('helo=', 'helo=x;envelope-from=a@evil.example; x=')]],
  ],
  [
    'a sender in a comment',
    [[pass[0], 'Pass (envelope-from=a@example.org) envelope-from=a@evil.example']],
  ],
  [
    'a sender in quotes',
    [[pass[0], 'Pass envelope-from="x envelope-from=a@example.org"@evil.example']],
  ],
  ['two lists of tests, of which the second is forged', [['X-Spam-Tests', 'SPF_FAIL'], signed]],
  ['two lists of tests, of which the first is forged', [signed, ['X-Spam-Tests', 'SPF_FAIL']]],
  ['two results of SPF, of which the second is forged', [[pass[0], 'Fail'], pass]],
  ['two results of SPF, of which the first is forged', [pass, [pass[0], 'Fail']]],
  [
    'results of no configured service',
    results('mx.example.net; dmarc=pass header.from=example.org'),
  ],
])('a message with %s is refused, acknowledged and reported', async (_, headers) => {
  expect(await received(headers)).toEqual({
    status: 200,
    messages: [],
    errors: [['email/unverified-sender', 'receiving the message "m1" through email']],
  });
});

test.each<[boolean, readonly string[]]>([
  [true, ['mx.example.net; dmarc=pass (p=REJECT) header.from=example.org']],
  [true, ['MX.example.net 1; dmarc = pass header.from=Example.org']],
  [true, ['mx.example.net; dmarc=none; dkim=pass header.d=example.org']],
  [true, ['mx.example.net; dkim=fail header.d=x.example; dkim=pass header.i=@example.org']],
  [true, ['mx.example.net; spf=pass smtp.mailfrom=bounce@example.org']],
  [true, ['other.example; dmarc=fail', 'mx.example.net; dmarc=pass header.from=example.org']],
  [false, ['mx.example.net; none']],
  [
    false,
    ['mx.example.net; dmarc=fail header.from=example.org; spf=pass smtp.mailfrom=example.org'],
  ],
  [false, ['mx.example.net; dmarc=pass header.from=evil.example']],
  [false, ['mx.example.net; dmarc=pass']],
  [false, ['mx.example.net; dkim=pass header.d=evil.example; spf=pass smtp.mailfrom=evil.example']],
  [false, ['mx.example.net; dkim=pass header.d=sub.example.org']],
  [
    false,
    ['mx.example.net; spf=pass (; dmarc=pass header.from=example.org) smtp.mailfrom=evil.example'],
  ],
  [
    false,
    [
      'mx.example.net; spf=pass (\\); dmarc=pass header.from=example.org) smtp.mailfrom=evil.example',
    ],
  ],
  [
    false,
    [
      'mx.example.net; spf=pass smtp.mailfrom="; dmarc=pass header.from=example.org ;"@evil.example',
    ],
  ],
  [false, ['mx.example.net; spf=fail (unclosed; dmarc=pass header.from=example.org']],
  [false, ['mx.example.net; dmarc=fail', 'mx.example.net; dmarc=pass header.from=example.org']],
  [false, ['evil.example; mx.example.net; dmarc=pass header.from=example.org']],
  [false, ['mx.example.net.evil.example; dmarc=pass header.from=example.org']],
])('the results of a configured service verify a sender: %s, %j', async (isVerified, values) => {
  const { messages, errors } = await received(results(...values), { authservId: 'mx.example.net' });

  expect({ messages: messages.length, errors: errors.length }).toEqual(
    isVerified ? { messages: 1, errors: 0 } : { messages: 0, errors: 1 },
  );
});

test('an unverified message is received with a mark if the channel is set so', async () => {
  const marked = (headers: readonly (readonly [string, string])[]) =>
    received(headers, { unverified: 'mark' });

  expect(await marked([])).toMatchObject({
    messages: [{ data: { senderVerified: false } }],
    errors: [],
  });
  expect(await marked([signed])).toMatchObject({ messages: [{ data: { senderVerified: true } }] });
});

test('a message from no address is refused and reported, also with a mark', async () => {
  expect(await received([], { author: 'nobody', unverified: 'mark' })).toMatchObject({
    status: 200,
    errors: [['host/bad-request', 'receiving the message "m1" through email']],
  });
});

test('another setting for unverified senders is refused', () => {
  expect(() =>
    emailChannel({
      smtp: 'smtp://a.example',
      from: 'desk@example.com',
      inbound,
      unverified: 'accept' as 'mark',
    }),
  ).toThrow('"refuse" or "mark"');
});
