import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { webhookChannel } from '../src/index.ts';
import { WebhookReceiver } from '../src/testing/index.ts';

const secretOf = (text: string) => `whsec_${Buffer.from(text.padEnd(24, '.')).toString('base64')}`;
const [before, after] = [secretOf('before'), secretOf('after')];

const message = {
  id: 'ä.1/0/reply',
  instance: 'ä.1',
  contact: 'ada',
  role: 'agent',
  text: 'Hello.',
  at: 0,
} as const;

test.each([before, after])(
  'while a secret is replaced, a receiver with either accepts',
  async (known) => {
    const receiver = await new WebhookReceiver(known).listen();
    onTestFinished(() => receiver.close());
    const channel = webhookChannel({ url: receiver.url, secret: [after, before] });

    await channel.deliver(message, { signal: AbortSignal.timeout(5_000) });

    expect(receiver.shown).toEqual([{ contact: 'ada', text: 'Hello.' }]);
    expect(receiver.requests[0]?.headers['webhook-id']).toBe('%C3%A4%2E1%2F0%2Freply');
    expect(JSON.parse(receiver.requests[0]!.body)).toEqual({
      type: 'message.sent',
      timestamp: '1970-01-01T00:00:00.000Z',
      data: message,
    });
    const { headers, body } = receiver.requests[0]!;
    expect(new Webhook(known).verify(body, headers)).toMatchObject({ type: 'message.sent' });
  },
);

test.each([before, after])(
  'while a secret is replaced, requests with either are accepted',
  async (used) => {
    const channel = webhookChannel({ url: 'https://desk.example', secret: [after, before] });
    const body = JSON.stringify({ type: 'other' });
    const at = new Date();
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}`,
      'webhook-signature': `v1a,asymmetric ${new Webhook(used).sign('msg_1', at, body)}`,
    };
    const request = new Request('http://host/channels/hook', { method: 'POST', headers, body });

    expect((await channel.handle(request, { name: 'hook', host: undefined as never })).status).toBe(
      200,
    );
  },
);

test.each(['', 'whsec_', 'whsec_short', 'not base64!', `whsec_${'a'.repeat(31)}`])(
  'the secret %o is refused without being shown',
  (secret) => {
    expect(() => webhookChannel({ url: 'https://desk.example', secret })).toThrow(
      /is not one of Standard Webhooks|no secret/,
    );
  },
);
