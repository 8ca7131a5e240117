import { createHmac } from 'node:crypto';
import { twilioChannel } from '@dramaturg/channel-twilio';
import { TwilioStandIn } from '@dramaturg/channel-twilio/testing';
import { webChannel } from '@dramaturg/channel-web';
import { isSlowStep, lookalikes, until } from '@dramaturg/testing';
import { expect, onTestFinished, test } from 'vitest';
import { served } from './stage.ts';

const secret = 'a secret of the tests with 32 characters';
const identitySecret = 'another secret, of the site of the customer';

/** The identity of a customer, signed by the customer's server. */
function identityOf(sub: string): string {
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const iat = Math.floor(Date.now() / 1_000);
  const claims = { sub, aud: 'dramaturg-web-chat', iat, exp: iat + 3_600 };
  const content = `${encoded({ alg: 'HS256' })}.${encoded(claims)}`;
  return `${content}.${createHmac('sha256', identitySecret).update(content).digest('base64url')}`;
}

/** Ids that one program or another has taken for one person. */
const ids = [
  '1-23',
  '12-3',
  '+123',
  '00123',
  '7',
  '007',
  'Ab3',
  'aB3',
  '+56 9 1234',
  '+5691234',
  ...lookalikes('Añ-07').slice(1, 20),
];

test('two visitors whose ids look alike never share a conversation, an export or an erase', async () => {
  const channels = { web: webChannel({ secret, identitySecret }) };
  const { ask, host } = await served({ channels, orStart: { definition: 'intake' } }, { channels });
  const tokenOf = new Map<string, string>();
  for (const id of ids) {
    const { body } = await ask('POST', '/channels/web/session', { identity: identityOf(id) });
    tokenOf.set(id, (body as unknown as { token: string }).token);
    const headers = { authorization: `Bearer ${tokenOf.get(id)}` };
    const message = { id: 'message-1', text: `I am number ${ids.indexOf(id)}.` };
    expect(await ask('POST', '/channels/web/messages', message, headers)).toMatchObject({
      status: 200,
    });
  }
  await host.settle();
  /** What each visitor sees of what visitors have written. */
  const seen = async () => {
    const texts: unknown[] = [];
    for (const token of tokenOf.values()) {
      const { body } = await ask('GET', '/channels/web/history', undefined, {
        authorization: `Bearer ${token}`,
      });
      const { messages } = body as unknown as {
        messages: readonly { from: string; text: string }[];
      };
      texts.push(messages.filter(({ from }) => from === 'visitor').map(({ text }) => text));
    }
    return texts;
  };
  const own = ids.map((_, index) => [`I am number ${index}.`]);
  expect(await seen()).toEqual(own);

  for (const [index, contact] of ids.entries()) {
    const exported = await ask('GET', `/export?contact=${encodeURIComponent(contact)}`);
    expect(exported.body).toMatchObject({ contact, instances: [{ contact }] });
    const { body } = await ask('GET', `/instances?contact=${encodeURIComponent(contact)}`);
    expect(body.items.map((each) => each['contact'])).toEqual([contact]);
    if (index % 3 !== 0) continue;
    const erased = await ask('POST', '/erase', { contact, running: 'end' });
    expect(erased.body).toMatchObject({ instances: 1 });
  }
  expect(await seen()).toEqual(own.map((texts, index) => (index % 3 === 0 ? [] : texts)));
});

const account = { accountSid: `AC${'1'.repeat(32)}`, authToken: 'an auth token of the tests' };

test('a start that names a channel of telephone numbers meets the reply of the number', async () => {
  const provider = await new TwilioStandIn(account.accountSid, account.authToken).listen();
  onTestFinished(() => provider.close());
  const url = 'https://desk.example.com/channels/sms';
  const errors: string[] = [];
  const channels = {
    main: { deliver: () => {} },
    sms: twilioChannel({ ...account, from: '+15557122661', url, apiUrl: provider.url }),
  };
  const { ask, url: service } = await served(
    { channels, orStart: { definition: 'intake' } },
    {
      channels,
      onError: (error, doing) => {
        if (!isSlowStep(error)) errors.push(`${doing}: ${String(error)}`);
      },
    },
  );
  const write = async (From: string, Body: string, MessageSid: string) => {
    const fields = { Body, From, MessageSid };
    const signed = Object.entries(fields).reduce((all, [name, value]) => all + name + value, url);
    const answer = await fetch(`${service}/channels/sms`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': createHmac('sha1', account.authToken).update(signed).digest('base64'),
      },
      body: new URLSearchParams(fields),
    });
    return answer.status;
  };
  const [contact, channel] = ['+56 9 1234', 'sms'];
  const order = { definition: 'intake', id: 'a', contact, channel };
  expect(await ask('POST', '/instances', order)).toMatchObject({ status: 201 });
  await until(() => provider.shown.length > 0, 'the first message');

  expect(await write('+5691234', 'Maria Soto', 'SM1')).toBe(200);
  const message = { contact: '+56-9-1234', channel, text: 'Are you there?' };
  expect((await ask('POST', '/messages', message)).body).toMatchObject({ instance: 'a' });
  expect((await ask('POST', '/messages', { ...message, channel: undefined })).body).toMatchObject({
    instance: null,
  });
  expect(provider.shown[0]).toMatchObject({ contact: '+5691234' });

  const written = `contact=${encodeURIComponent(contact)}`;
  const idsOf = async (query: string) =>
    (await ask('GET', `/instances?${query}`)).body.items.map(({ id }) => id);
  expect(await idsOf(`${written}&channel=sms`)).toEqual(['a']);
  expect(await idsOf(`contact=${encodeURIComponent('+5691234')}`)).toEqual(['a']);
  expect(await idsOf(written)).toEqual([]);
  expect((await ask('GET', `/export?${written}&channel=sms`)).body).toMatchObject({
    contact: '+5691234',
    instances: [{ id: 'a' }],
  });
  for (const path of ['/acts', '/decisions'])
    expect(await ask('GET', `${path}?${written}&channel=sms`)).toMatchObject({ status: 200 });
  expect(await ask('GET', `/instances?${written}&channel=fax`)).toMatchObject({ status: 400 });
  expect(
    await ask('POST', '/instances', { ...order, id: 'b', contact: '912345678' }),
  ).toMatchObject({ status: 400, body: { code: 'host/bad-request' } });

  // A sender without a number cannot be answered.
  expect(await write('ALERTS', 'Hello', 'SM2')).toBe(200);
  expect(errors).toEqual([
    expect.stringMatching(
      /^receiving the message "SM2" through sms: .*"ALERTS" is not a telephone/,
    ),
  ]);
  expect((await ask('POST', '/erase', { contact, channel, running: 'end' })).body).toMatchObject({
    instances: 1,
  });
});
