import {
  channelContract,
  chartOf,
  type ProviderRequest,
  type Shown,
  type Signing,
} from '@dramaturg/testing';
import { conversationLifecycle, lifecycle, workflowLifecycle } from '@dramaturg/lifecycle';
import { SignJWT } from 'jose';
import { onTestFinished } from 'vitest';
import { webChannel } from '../src/index.ts';
import type { HistoryAnswer } from '../src/protocol.ts';
import { secret } from './secrets.ts';

const otherSecret = 'a secret of somebody else, of 32 characters';
const contacts = ['web:ada', 'web:bob'] as const;

function tokenOf(contact: string, signing: Signing): Promise<string> {
  return new SignJWT({ definition: 'chat', customer: false })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('dramaturg-web-chat')
    .setAudience('main')
    .setSubject(contact)
    .setIssuedAt()
    .setExpirationTime(signing === 'old' ? '-1 minute' : '1 hour')
    .sign(new TextEncoder().encode(signing === 'wrong' ? otherSecret : secret));
}

const signings = ['valid', 'wrong', 'old'] as const;
const tokens = new Map<string, string>();
for (const contact of contacts)
  for (const signing of signings)
    tokens.set(`${signing} ${contact}`, await tokenOf(contact, signing));

function headersOf(contact: string, signing: Signing): Readonly<Record<string, string>> {
  const token = tokens.get(`${signing} ${contact}`);
  return {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
}

function sent(contact: string, body: string, signing: Signing = 'valid'): ProviderRequest {
  return { path: '/messages', headers: headersOf(contact, signing), body };
}

/** What the pages of the visitors show of others, until the test ends. */
function pagesOf(url: string): readonly Shown[] {
  const shown: Shown[] = [];
  const known = new Set<string>();
  const look = async (): Promise<void> => {
    for (const contact of contacts) {
      const response = await fetch(`${url}/history`, { headers: headersOf(contact, 'valid') });
      if (!response.ok) continue;
      const { messages } = (await response.json()) as HistoryAnswer;
      for (const { id, from, text } of messages) {
        if (from === 'visitor' || known.has(id)) continue;
        known.add(id);
        shown.push({ contact, text });
      }
    }
  };
  const timer = setInterval(() => void look().catch(() => {}), 100);
  onTestFinished(() => clearInterval(timer));
  return shown;
}

channelContract(
  async (url) => ({
    // The contract sends more in a moment than a person.
    channel: webChannel({ secret, messagesPerMinute: 600 }),
    another: () => webChannel({ secret }),
    provider: { shown: pagesOf(url), troubles: [] },
    contacts,
    secrets: [secret],
    limit: null,
    sign: ({ contact, text, number }, signing) =>
      sent(contact, JSON.stringify({ id: `message-${number}`, text }), signing),
    signBody: (body) => sent(contacts[0], body),
    others: [{ path: '/session', headers: headersOf(contacts[0], 'valid'), body: '{}' }],
  }),
  {
    lifecycles: {
      conversation: chartOf(conversationLifecycle, lifecycle),
      workflow: chartOf(workflowLifecycle, lifecycle),
      behaviour: lifecycle.behaviour,
    },
    skip: [
      {
        reason: 'a page gets a refusal, and shows it',
        tests: ['a text that is too long for one message is received as several'],
      },
      {
        reason: 'a page sends an edited message with the same id',
        tests: ['a message that comes again with other content is acknowledged and reported'],
      },
      {
        reason: 'there is no provider: a message is delivered when it is stored',
        tests: [
          'a delivery fulfils when the provider has accepted the message',
          'the same message given twice is shown once',
          'the same message given again by another process is shown once',
          'a message whose acceptance was lost is shown once',
          'a permanent refusal is a RejectedError without secrets',
          'wrong credentials do not reject a message for good, and are not shown',
          'a provider that limits the rate is asked again after its pause',
          'a delivery that has been cut is not permanent',
          'a delivery that has failed is not permanent',
          'a delivery that has got nonsense is not permanent',
          'a delivery ends when its signal aborts',
          'a message that is refused for good is shown at its line, and the next one arrives',
          'a long message arrives whole and in order, in parts that the provider takes',
          'a long message is never broken inside of a word or a grapheme',
          'a long message that is interrupted goes on with the next part',
        ],
      },
      {
        reason: 'the page reports only what it shows, and no failures',
        tests: [
          'a delivery report is shown at its message',
          'a report of a failure has its reason',
          'a report with a wrong signature is refused',
          'a report about an erased instance is acknowledged',
        ],
      },
      {
        reason: 'the session says who sends, and TLS protects the body',
        tests: ['a changed body is refused'],
      },
      {
        reason: 'visitors send no files',
        tests: [
          'attachments are links in the data of the message',
          'a message with an attachment and no text is received',
        ],
      },
    ],
  },
);
