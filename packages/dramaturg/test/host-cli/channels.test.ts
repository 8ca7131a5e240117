import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { telegramUpdate } from '@dramaturg/channel-telegram/testing';
import { expect, test } from 'vitest';
import { dramaturg, examples, setEnvironment } from '../command.ts';
import { newStore, serve, until } from './processes.ts';
import { postUpdate, secret, telegramInEnvironment, token } from './telegram.ts';

const plan = 'customer-intake.plan.json';

/** The status of an empty request under the name of a host, which `fetch` cannot choose. */
function statusUnder(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject).end();
  });
}

test('a person in Telegram talks with a served definition, and no secret is shown or stored', async () => {
  const telegram = await telegramInEnvironment();
  const store = await newStore();
  const options = ['--channel', 'telegram', '--http', '127.0.0.1:0', '--json'];
  const host = await serve(
    store,
    '--definition',
    plan,
    ...options,
    '--public-url',
    'https://desk.example.com',
  );
  const { url } = JSON.parse(host.stdout.split('\n').find((line) => line.includes('"ready"'))!);
  const post = (update: object, given?: string) => postUpdate(url, update, given);

  // Under its public name, as a proxy forwards it.
  expect(await statusUnder(`${url}/channels/telegram`, 'desk.example.com')).toBe(401);
  expect(await statusUnder(`${url}/channels/telegram`, 'evil.example')).toBe(421);
  expect((await post(telegramUpdate(42, 'Hello.', 1), 'wrong')).status).toBe(401);
  expect((await post(telegramUpdate(42, 'Hello.', 1))).status).toBe(200);
  expect((await post(telegramUpdate(42, 'Hello.', 1))).status).toBe(200);
  await until(() => telegram.shown.length > 0);
  const { stdout } = await dramaturg(['ps', store, '--json']);
  telegram.troubles.push('refused');
  await post(telegramUpdate(42, 'Which ones?', 2));
  const [{ id }] = (JSON.parse(stdout) as { instances: [{ id: string }] }).instances;
  const logs = async () => (await dramaturg(['logs', store, id])).stdout.replaceAll(/\s+/g, ' ');
  await until(async () =>
    (await logs()).includes(
      '(failed: Telegram answered 403: Forbidden: bot was blocked by the user.)',
    ),
  );

  expect(telegram.shown[0]).toMatchObject({ contact: 'telegram:42' });
  expect(JSON.parse(stdout)).toMatchObject({ instances: [{ contact: 'telegram:42' }] });
  expect(host.stdout + host.stderr).not.toContain(token);
  const files = await readdir(store, { recursive: true, withFileTypes: true });
  const stored = files.filter((file) => file.isFile());
  expect(stored.length).toBeGreaterThan(0);
  for (const { parentPath, name } of stored) {
    const content = await readFile(join(parentPath, name), 'latin1');
    expect(content).not.toContain(token);
    expect(content).not.toContain(secret);
  }
});

test('a visitor of the page talks with a served definition', async () => {
  setEnvironment({
    DRAMATURG_WEB_CHAT_SECRET: 'a secret of the test with 32 characters',
    DRAMATURG_WEB_CHAT_ORIGINS: 'https://www.example.com https://shop.example.com',
  });
  const store = await newStore();
  const options = ['--channel', 'web', '--http', '127.0.0.1:0', '--json'];
  const host = await serve(store, '--definition', plan, ...options);
  const { url } = JSON.parse(host.stdout.split('\n').find((line) => line.includes('"ready"'))!);
  const post = (path: string, body: object, bearer = '') =>
    fetch(`${url}/channels/web/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
      body: JSON.stringify(body),
    });
  const page = await fetch(`${url}/channels/web/`);
  const { token: session } = (await (await post('session', {})).json()) as { token: string };

  expect(page.headers.get('content-security-policy')).toContain(
    "frame-ancestors 'self' https://www.example.com https://shop.example.com",
  );
  expect((await post('messages', { id: 'message-1', text: 'Hello.' }, session)).status).toBe(200);
  const { stdout } = await dramaturg(['ps', store, '--json']);
  expect(JSON.parse(stdout).instances).toMatchObject([
    { contact: expect.stringMatching(/^web:/) as string },
  ]);
});

test.each([
  [
    ['--channel', 'telegram', '--http', '0'],
    'needs TELEGRAM_BOT_TOKEN and TELEGRAM_WEBHOOK_SECRET in the environment',
  ],
  [['--channel', 'web', '--http', '0'], 'needs DRAMATURG_WEB_CHAT_SECRET in the environment'],
  [['--channel', 'telegram'], '--http is missing'],
  [['--channel', 'pigeon', '--http', '0'], 'There is no channel "pigeon".'],
  [['--answer', 'intake'], 'there is no --channel'],
  [['--mcp'], '--mcp is for a service over HTTP, and --http is missing.'],
  [['--tokens', 'tokens.json'], '--tokens is for a service over HTTP'],
  [['--allow-origin', 'https://desk.example.com'], '--allow-origin is for a service over HTTP'],
  [
    ['--channel', 'slack', '--http', '0', '--answer', 'other'],
    '--answer names "other", which is not one of the definitions.',
  ],
])('serve with %j says what is missing', async (options, sentence) => {
  const { stderr, code } = await dramaturg(
    ['serve', await newStore(), '--definition', plan, ...options],
    {
      cwd: examples,
    },
  );

  expect(code).toBe(2);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(sentence);
});

test('a channel whose provider signs the public address asks for it', async () => {
  setEnvironment({ TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'a-token-of-twilio' });
  const options = ['--channel', 'twilio', '--http', '0'];
  const { stderr, code } = await dramaturg(['serve', await newStore(), ...options]);

  expect(code).toBe(2);
  expect(stderr).toContain('--public-url https://desk.example.com');
});
