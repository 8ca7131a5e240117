import { channelContract, chartOf, surrounded } from '@dramaturg/testing';
import { conversationLifecycle, lifecycle, workflowLifecycle } from '@dramaturg/lifecycle';
import { onTestFinished } from 'vitest';
import { slackChannel } from '../src/index.ts';
import { slackEvent, SlackStandIn } from '../src/testing/index.ts';
import { signed, signingSecret, token } from './signed.ts';

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const messageIn = (channel: string, more: object) => ({
  type: 'message',
  channel,
  user: 'U2147483697',
  text: 'x',
  ts: '1355517523.000009',
  channel_type: 'im',
  ...more,
});

function changed({ channel, channel_type, ...message }: ReturnType<typeof messageIn>, second = 0) {
  const edited = second > 0 && { edited: { user: message.user, ts: `135551752${second}.000000` } };
  const kind = { type: 'message', subtype: 'message_changed', hidden: true };
  return { ...kind, channel, channel_type, message: { ...message, ...edited } };
}

channelContract(
  async () => {
    const provider = await new SlackStandIn(token).listen();
    onTestFinished(() => provider.close());
    const make = () => slackChannel({ token, signingSecret, apiUrl: provider.url });
    return {
      channel: make(),
      another: make,
      provider,
      contacts: ['slack:D024BE91L', 'slack:D024BE91M'],
      spellings: [
        'slack:d024be91l',
        'SLACK:D024BE91L',
        'SLACK:D024be91l',
        'SLACK:D024Be91l',
        'SLACK:D024be91l',
        ...surrounded('slack:D024BE91L'),
      ],
      secrets: [token, signingSecret],
      limit: { max: 4_000, sizeOf: (text) => escaped(text).length },
      sign: ({ contact, text, number, attachments = 0, edit }, signing) => {
        const files = Array.from({ length: attachments }, (_, index) => ({
          id: `F${index}`,
          name: 'photo.png',
          mimetype: 'image/png',
          size: 4_096,
          url_private: `https://files.slack.com/files-pri/T1-F${index}/photo.png`,
        }));
        const event = messageIn(contact.slice('slack:'.length), {
          text: escaped(text),
          ts: `1355517523.00000${number}`,
          ...(attachments > 0 ? { subtype: 'file_share', files } : {}),
        });
        return signed(slackEvent(edit === undefined ? event : changed(event, edit)), signing);
      },
      signBody: (body) => signed(body),
      others: [
        signed({ token: 'x', challenge: '3eZbrw1aB', type: 'url_verification' }),
        signed({ type: 'app_rate_limited', team_id: 'T1', minute_rate_limited: 1_518_467_820 }),
        signed(slackEvent(messageIn('D1', { bot_id: 'B1' }))),
        signed(slackEvent(changed(messageIn('D1', {})))),
        signed(slackEvent(changed(messageIn('D1', {}), 1))),
        signed(slackEvent(messageIn('C1', { channel_type: 'channel' }))),
        signed(slackEvent({ type: 'reaction_added', user: 'U1', item: {} })),
      ],
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
        reason: 'Slack does not report deliveries',
        tests: [
          'a delivery report is shown at its message',
          'a report of a failure has its reason',
          'a report with a wrong signature is refused',
          'a report about an erased instance is acknowledged',
        ],
      },
    ],
  },
);
