import type { ReceivedMessage } from '@dramaturg/host';
import { expect, test } from 'vitest';
import { slackChannel } from '../src/index.ts';
import { slackEvent } from '../src/testing/index.ts';
import { signed, signingSecret, token } from './signed.ts';

const channel = slackChannel({ token, signingSecret });

/** What the host gets of an event. */
async function received(event: object): Promise<readonly ReceivedMessage[]> {
  const messages: ReceivedMessage[] = [];
  const host = {
    receive: async (message: ReceivedMessage) => {
      messages.push(message);
      return { instance: 'a', accepted: true, state: 'WORKING' } as const;
    },
  };
  const request = new Request('http://host/channels/slack', { method: 'POST', ...signed(event) });
  const orStart = { definition: 'intake' };
  await channel.handle(request, { name: 'slack', host: host as never, orStart });
  return messages;
}

const inChannel = { channel: 'C1', channel_type: 'channel', user: 'U1', ts: '2.1' };

test('Slack gets its challenge back, if the request is signed', async () => {
  const event = { token: 'x', challenge: '3eZbrw1aB', type: 'url_verification' };
  const ask = (signing: 'valid' | 'wrong') =>
    channel.handle(
      new Request('http://host/channels/slack', { method: 'POST', ...signed(event, signing) }),
      { name: 'slack', host: undefined as never },
    );

  expect(await (await ask('valid')).text()).toBe('3eZbrw1aB');
  expect((await ask('wrong')).status).toBe(401);
});

test('a mention in a channel starts a conversation in a thread of its own', async () => {
  const event = { ...inChannel, type: 'app_mention', text: '<@UAPP> 1 &lt; 2, <@U2>?' };

  expect(await received(slackEvent(event))).toEqual([
    {
      contact: 'slack:C1:2.1',
      channel: 'slack',
      text: '1 < 2, <@U2>?',
      id: 'slack:C1/2.1',
      data: { user: 'U1' },
      orStart: { definition: 'intake', channel: 'slack' },
    },
  ]);
});

test('a message in a thread belongs to the conversation of the thread, and starts none', async () => {
  const event = { ...inChannel, type: 'message', text: 'Yes.', thread_ts: '1.5' };

  expect(await received(slackEvent(event))).toEqual([
    {
      contact: 'slack:C1:1.5',
      channel: 'slack',
      text: 'Yes.',
      id: 'slack:C1/2.1',
      data: { user: 'U1' },
    },
  ]);
});
