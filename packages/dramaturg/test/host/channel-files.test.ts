import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { slackChannel } from '@dramaturg/channel-slack';
import { telegramChannel } from '@dramaturg/channel-telegram';
import { twilioChannel } from '@dramaturg/channel-twilio';
import { expect, onTestFinished, test } from 'vitest';

/** Channels load the files of people from their providers, with their credentials, and from nobody else. */

async function provider() {
  const requests: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    requests.push(`${request.url} ${request.headers.authorization ?? ''}`.trim());
    if (request.url!.endsWith('/getFile'))
      return response.end(JSON.stringify({ ok: true, result: { file_path: 'voice/7.ogg' } }));
    if (request.url!.endsWith('/gone')) return response.writeHead(404).end();
    return response.end('OggS and the voice');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => server.close().closeAllConnections());
  return { requests, apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const options = { signal: new AbortController().signal, bytesMax: 8 };
const secret = 'secret';

const channels = {
  telegram: (apiUrl: string) => telegramChannel({ token: '1:a', secret, apiUrl }),
  slack: (apiUrl: string) => slackChannel({ token: 'xoxb-1', signingSecret: secret, apiUrl }),
  twilio: (apiUrl: string) =>
    twilioChannel({
      accountSid: 'AC1',
      authToken: secret,
      from: '+15005550006',
      url: apiUrl,
      apiUrl,
    }),
};
const basic = `Basic ${Buffer.from(`AC1:${secret}`).toString('base64')}`;

test.each([
  ['telegram', { id: '7' }, ['/bot1:a/getFile', '/file/bot1:a/voice/7.ogg']],
  ['slack', { url: '/voice' }, ['/voice Bearer xoxb-1']],
  ['twilio', { url: '/voice' }, [`/voice ${basic}`]],
] as const)('%s sends a file, and not more of it than is wanted', async (name, file, expected) => {
  const { requests, apiUrl } = await provider();
  const url = 'url' in file ? { url: apiUrl + file.url } : {};
  const bytes = await channels[name](apiUrl).download!({ ...file, ...url }, options);
  expect(Buffer.from(bytes!).toString()).toBe('OggS and ');
  expect(requests).toEqual(expected);
});

test.each(['slack', 'twilio'] as const)('%s sends its credentials to nobody else', async (name) => {
  const { requests, apiUrl } = await provider();
  const channel = channels[name]('https://api.example.com');
  expect(await channel.download!({ url: `${apiUrl}/voice` }, options)).toBeUndefined();
  expect(requests).toEqual([]);
});

test('a file that the provider does not have is an error', async () => {
  const { apiUrl } = await provider();
  const url = `${apiUrl}/gone`;
  await expect(channels.slack(apiUrl).download!({ url }, options)).rejects.toThrow('404');
});
