import { channelContract, chartOf, type ProviderRequest, type Signing } from '@dramaturg/testing';
import { conversationLifecycle, lifecycle, workflowLifecycle } from '@dramaturg/lifecycle';
import { Webhook } from 'standardwebhooks';
import { onTestFinished } from 'vitest';
import { webhookChannel } from '../src/index.ts';
import { WebhookReceiver } from '../src/testing/index.ts';

const secret = `whsec_${Buffer.from('a secret of the two sides, 1').toString('base64')}`;
const otherSecret = `whsec_${Buffer.from('a secret of somebody else, 2').toString('base64')}`;

function signed(event: object | string, id: string, signing: Signing = 'valid'): ProviderRequest {
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  const at = new Date(Date.now() - (signing === 'old' ? 600_000 : 0));
  const signature = new Webhook(signing === 'wrong' ? otherSecret : secret).sign(id, at, body);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}`,
    ...(signing === 'missing' ? {} : { 'webhook-signature': signature }),
  };
  return { headers, body };
}

channelContract(
  async () => {
    const provider = await new WebhookReceiver(secret).listen();
    onTestFinished(() => provider.close());
    const make = () => webhookChannel({ url: provider.url, secret });
    return {
      channel: make(),
      another: make,
      provider,
      contacts: ['ada', 'bob'],
      secrets: [secret],
      limit: null,
      sign: ({ contact, text, number, attachments = 0 }, signing) => {
        const files = Array.from({ length: attachments }, (_, index) => ({
          url: `https://files.example/${index}.png`,
          type: 'image/png',
        }));
        const data = { contact, text, ...(attachments > 0 ? { attachments: files } : {}) };
        return signed({ type: 'message.received', data }, `msg_${number}`, signing);
      },
      signBody: (body) => signed(body, 'msg_garbage'),
      report: (_, status, signing) => {
        const reason = status === 'failed' ? { reason: 'No such person.' } : {};
        const data = { instance: 'a', message: 'a/0/reply', status, ...reason };
        return signed({ type: 'delivery.reported', data }, 'msg_report', signing);
      },
      others: [signed({ type: 'contact.created', data: {} }, 'msg_other')],
    };
  },
  {
    lifecycles: {
      conversation: chartOf(conversationLifecycle, lifecycle),
      workflow: chartOf(workflowLifecycle, lifecycle),
      behaviour: lifecycle.behaviour,
    },
    skip: [
      {
        reason: 'the program names what a message replaces in its data',
        tests: ['an edited message is a new one that says which it replaces'],
      },
      {
        reason: 'a webhook takes messages of any length',
        tests: [
          'a long message arrives whole and in order, in parts that the provider takes',
          'a long message is never broken inside of a word or a grapheme',
          'a long message that is interrupted goes on with the next part',
        ],
      },
      {
        reason: 'a webhook accepts a message with any answer 2xx',
        tests: ['a delivery that has got nonsense is not permanent'],
      },
    ],
  },
);
