import { createHmac } from 'node:crypto';
import { conversationLifecycle, lifecycle, workflowLifecycle } from '@dramaturg/lifecycle';
import {
  channelContract,
  chartOf,
  lookalikes,
  type ProviderRequest,
  type Signing,
} from '@dramaturg/testing';
import { describe, onTestFinished } from 'vitest';
import { twilioChannel } from '../src/index.ts';
import { isGsm7, septets } from '../src/twilio-channel.ts';
import { type TwilioShown, TwilioStandIn } from '../src/testing/index.ts';

const accountSid = `AC${'1'.repeat(32)}`;
const authToken = 'e8d0c2b7a95f4163e8d0c2b7a95f4163';

/** Signs as Twilio documents it, independently of the channel. */
function signed(
  url: string,
  path: string,
  form: Readonly<Record<string, string>> | string,
  signing: Signing = 'valid',
): ProviderRequest {
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  const fields = Object.fromEntries(new URLSearchParams(body));
  const text = Object.keys(fields)
    .toSorted()
    .reduce((all, name) => all + name + fields[name], url + path);
  const key = signing === 'wrong' ? 'another token' : authToken;
  const signature = createHmac('sha1', key).update(text).digest('base64');
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    ...(signing === 'missing' ? {} : { 'x-twilio-signature': signature }),
  };
  return { path, headers, body };
}

/** A segment has 153 septets or 67 UTF-16 units. */
const size = (text: string) => (isGsm7(text) ? septets(text) : (text.length * 153) / 67);

/** Ids that differ only in what people write between the digits of a number, and in the case of the prefix. */
function spellingsOf(contact: string): readonly string[] {
  const [prefix] = /^(whatsapp:)?/.exec(contact)!;
  return lookalikes(contact).filter((each) => {
    const written = each.trim();
    const hasPrefix = written.slice(0, prefix.length).toLowerCase() === prefix;
    const number = written.slice(prefix.length).replaceAll(/[ ().-]/g, '');
    return hasPrefix && prefix + number === contact;
  });
}

const kinds = {
  SMS: {
    contacts: ['+15017122661', '+15017122662'],
    spellings: ['+1 (501) 712-2661', ...spellingsOf('+15017122661')],
    limit: { max: 1_530, sizeOf: size },
  },
  WhatsApp: {
    contacts: ['whatsapp:+15017122661', 'whatsapp:+15017122662'],
    spellings: ['WhatsApp:+1 501 712 2661', ...spellingsOf('whatsapp:+15017122661')],
    limit: { max: 1_600, sizeOf: (text: string) => text.length },
  },
} as const;

describe.each(Object.entries(kinds))('%s', (_, { contacts, spellings, limit }) => {
  channelContract(
    async (url) => {
      const provider = await new TwilioStandIn(accountSid, authToken).listen();
      onTestFinished(() => provider.close());
      const sender = { from: '+15557122661', whatsappFrom: '+14155238886' };
      const make = () =>
        twilioChannel({ accountSid, authToken, ...sender, url, apiUrl: provider.url });
      const message = { AccountSid: accountSid, To: sender.from, NumSegments: '1' };
      return {
        channel: make(),
        another: make,
        provider,
        contacts,
        spellings,
        secrets: [authToken],
        limit,
        sign: ({ contact, text, number, attachments = 0 }, signing) => {
          const media = Array.from({ length: attachments }, (_each, index) => [
            [`MediaUrl${index}`, `https://api.twilio.com/Media/ME${index}`],
            [`MediaContentType${index}`, 'image/jpeg'],
          ]).flat();
          const form = {
            ...message,
            MessageSid: `SM${number}`,
            From: contact,
            Body: text,
            NumMedia: `${attachments}`,
            ...(Object.fromEntries(media) as Readonly<Record<string, string>>),
          };
          return signed(url, '', form, signing);
        },
        signBody: (body) => signed(url, '', body),
        report: (shown, status, signing) => {
          const path = (shown as TwilioShown).statusCallback.slice(url.length);
          const form = {
            ...message,
            MessageSid: 'SM1',
            MessageStatus: status === 'failed' ? 'undelivered' : status,
            ...(status === 'failed' && { ErrorCode: '30003' }),
          };
          return signed(url, path, form, signing);
        },
        others: [
          signed(url, '/status?instance=a&message=m', {
            ...message,
            MessageSid: 'SM1',
            MessageStatus: 'sent',
          }),
          signed(url, '/status', { ...message, MessageSid: 'SM1', MessageStatus: 'delivered' }),
          signed(url, '', {
            ...message,
            MessageSid: 'SM2',
            From: contacts[0],
            Body: '',
            NumMedia: '0',
          }),
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
          reason: 'SMS and WhatsApp through Twilio have no edits',
          tests: ['an edited message is a new one that says which it replaces'],
        },
        {
          reason:
            'the Messages API has no idempotency keys, so it sends a message again whose answer was lost',
          tests: [
            'the same message given again by another process is shown once',
            'a message whose acceptance was lost is shown once',
          ],
        },
        {
          reason: 'Twilio signs no time; a repetition is known by its MessageSid',
          tests: ['a request that was signed long ago is refused'],
        },
      ],
    },
  );
});
