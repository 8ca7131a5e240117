import { HostError, type ReceivedMessage, type Routed } from '@dramaturg/host';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { webhookChannel } from '../src/index.ts';

const secret = `whsec_${Buffer.from('a secret of the two sides, 1').toString('base64')}`;

/** What the channel answers, and what it reports. */
async function posted(data: object, receive: (message: ReceivedMessage) => Promise<Routed>) {
  const channel = webhookChannel({ url: 'https://desk.example', secret });
  const [id, at] = ['i'.repeat(300), new Date()];
  const body = JSON.stringify({ type: 'message.received', data });
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}`,
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
  const reported: unknown[] = [];
  const host = { receive, reportError: (error: unknown) => reported.push(error) } as never;
  const request = new Request('http://host/channels/hook', { method: 'POST', headers, body });
  const { status } = await channel.handle(request, { name: 'hook', host });
  return { status, reported };
}

const message = { contact: 'ada', text: 'Hello.' };
const state = 'ACTIVE';

test('a message that the host refuses is not answered with success, and is reported', async () => {
  const because = 'The data of the message has 40000 characters.';
  const refusal = new HostError('host/bad-request', because);
  expect(await posted(message, () => Promise.reject(refusal))).toEqual({
    status: 422,
    reported: [refusal],
  });
  const routed = { instance: 'a', accepted: false, state, code: 'message/blank', because } as const;
  expect(await posted(message, async () => ({ ...routed, accepts: [] }))).toEqual({
    status: 422,
    reported: [expect.objectContaining({ code: 'message/blank', message: because })],
  });
});

test('a message that may be accepted later is tried again', async () => {
  const busy = { instance: null, accepted: false, code: 'host/busy', because: '' } as const;
  expect(await posted(message, async () => ({ ...busy, retryAfterMs: 1_000 }))).toEqual({
    status: 503,
    reported: [],
  });
});

test('more files than the data of a message can have are counted', async () => {
  const attachments = Array.from({ length: 20 }, (_, index) => ({
    url: `https://files.example/${index}/${'x'.repeat(3_000)}`,
  }));
  let data: ReceivedMessage['data'];
  await posted({ ...message, attachments }, async (received) => {
    data = received.data;
    return { instance: 'a', accepted: true, state };
  });
  expect(data).toMatchObject({ attachmentsOmitted: 13 });
  expect(JSON.stringify(data).length).toBeLessThan(32_768);
});
