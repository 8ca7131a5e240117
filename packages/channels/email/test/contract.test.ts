import {
  channelContract,
  chartOf,
  type ProviderRequest,
  type Signing,
  surrounded,
} from '@dramaturg/testing';
import { conversationLifecycle, lifecycle, workflowLifecycle } from '@dramaturg/lifecycle';
import { onTestFinished } from 'vitest';
import { emailChannel } from '../src/index.ts';
import { type Mail, MailServer } from '../src/testing/index.ts';

const [user, password] = ['desk', 'correct-horse-battery'];
const inbound = 'postmark:another-long-password';

function signed(record: object | string, signing: Signing = 'valid'): ProviderRequest {
  const given = signing === 'wrong' ? 'postmark:a-wrong-password' : inbound;
  return {
    headers: {
      'content-type': 'application/json',
      ...(signing === 'missing' ? {} : { authorization: `Basic ${btoa(given)}` }),
    },
    body: typeof record === 'string' ? record : JSON.stringify(record),
  };
}

const mailFrom = (contact: string, text: string, number: number, more: object = {}) => ({
  From: contact,
  FromFull: { Email: contact, Name: 'Ada', MailboxHash: '' },
  To: 'desk@inbound.example.com',
  Subject: 'A question',
  MessageID: `73e6d360-66eb-11e1-8e72-a8904824019${number}`,
  Date: 'Fri, 1 Aug 2014 16:45:32 -04:00',
  TextBody: text,
  HtmlBody: '',
  StrippedTextReply: '',
  Headers: [
    { Name: 'X-Spam-Tests', Value: 'DKIM_SIGNED,DKIM_VALID,DKIM_VALID_AU,SPF_PASS' },
    { Name: 'Message-ID', Value: `<${number}@mail.example>` },
  ],
  Attachments: [],
  ...more,
});

channelContract(
  async () => {
    const provider = await new MailServer(user, password).listen();
    onTestFinished(() => provider.close());
    const make = () =>
      emailChannel({
        smtp: `smtp://${user}:${password}@${provider.url}`,
        from: 'Desk <desk@example.com>',
        inbound,
        isPlain: true,
      });
    return {
      channel: make(),
      another: make,
      provider,
      contacts: ['ada@example.org', 'bob@example.org'],
      spellings: [
        'Ada@Example.org',
        'ADA@EXAMPLE.ORG',
        'ADA@EXAMple.org',
        ...surrounded('ada@example.org'),
      ],
      secrets: [password, inbound, 'another-long-password'],
      limit: null,
      sign: ({ contact, text, number, attachments = 0 }, signing) => {
        const Attachments = Array.from({ length: attachments }, (_, index) => ({
          Name: `invoice-${index}.pdf`,
          Content: 'JVBERi0=',
          ContentType: 'application/pdf',
          ContentLength: 5,
          ContentID: '',
        }));
        return signed(mailFrom(contact, text, number, { Attachments }), signing);
      },
      signBody: (body) => signed(body),
      report: (shown, status, signing) => {
        const { headers } = shown as Mail;
        const Metadata = {
          instance: headers['x-pm-metadata-instance'],
          message: headers['x-pm-metadata-message'],
        };
        const bounce = {
          RecordType: 'Bounce',
          Type: 'HardBounce',
          Description: 'The server was unable to deliver your message.',
        };
        return signed(
          { Metadata, ...(status === 'failed' ? bounce : { RecordType: 'Delivery' }) },
          signing,
        );
      },
      others: [
        signed({ RecordType: 'SubscriptionChange', Recipient: 'ada@example.org' }),
        signed({
          RecordType: 'Bounce',
          Type: 'SoftBounce',
          Metadata: { instance: 'a', message: 'm' },
        }),
        signed({ RecordType: 'Delivery', Metadata: {} }),
        signed(
          mailFrom('ada@example.org', 'I am away.', 1, {
            Headers: [{ Name: 'Auto-Submitted', Value: 'auto-replied' }],
          }),
        ),
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
        reason: 'a mail cannot be edited',
        tests: ['an edited message is a new one that says which it replaces'],
      },
      {
        reason: 'a mail has no limit of its length',
        tests: [
          'a long message arrives whole and in order, in parts that the provider takes',
          'a long message is never broken inside of a word or a grapheme',
          'a long message that is interrupted goes on with the next part',
        ],
      },
      {
        reason:
          'SMTP sends a mail again whose answer was lost, with the same Message-ID, by which many mailboxes recognise it',
        tests: [
          'the same message given again by another process is shown once',
          'a message whose acceptance was lost is shown once',
        ],
      },
      {
        reason: 'SMTP names no time to wait for; the host tries again with backoff',
        tests: ['a provider that limits the rate is asked again after its pause'],
      },
      {
        reason: 'SMTP has no pages of proxies',
        tests: ['a delivery that has got nonsense is not permanent'],
      },
      {
        reason:
          'the mail service sends a user name and a password, and signs neither time nor body',
        tests: ['a request that was signed long ago is refused', 'a changed body is refused'],
      },
    ],
  },
);
