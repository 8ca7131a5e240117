import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TelegramStandIn, telegramUpdate } from '@dramaturg/channel-telegram/testing';
import { expect, onTestFinished, test } from 'vitest';
import { dramaturg, examples, folderWith, setEnvironment } from '../command.ts';
import { Running, until } from './processes.ts';
import { postUpdate } from './telegram.ts';

const bots = {
  acme: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw',
  bolt: '220201543:BBHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw',
};

const definitions = { intake: join(examples, 'customer-intake.plan.json') };

const service = (more: object = {}) => ({
  http: '127.0.0.1:0',
  tokens: 'tokens.json',
  tenants: {
    acme: { store: 'acme', definitions, channels: ['telegram'] },
    bolt: { store: 'bolt.db', definitions, channels: ['telegram'] },
    ...more,
  },
});

/** A service of two tenants, each with a bot of its own. */
async function served() {
  const shown: Record<string, TelegramStandIn> = {};
  for (const [name, token] of Object.entries(bots)) {
    shown[name] = await new TelegramStandIn(token).listen();
    onTestFinished(() => shown[name]!.close());
    setEnvironment({
      [`${name.toUpperCase()}_TELEGRAM_BOT_TOKEN`]: token,
      [`${name.toUpperCase()}_TELEGRAM_WEBHOOK_SECRET`]: `secret_${name}`,
      [`${name.toUpperCase()}_TELEGRAM_API_URL`]: shown[name].url,
    });
  }
  const folder = await folderWith({ 'service.yaml': JSON.stringify(service()) });
  const file = join(folder, 'service.yaml');
  const tokenOf = async (tenant: string) => {
    const args = ['token', 'create', '--file', join(folder, 'tokens.json'), '--name', tenant];
    const made = await dramaturg([...args, '--scope', 'admin', '--tenant', tenant, '--json']);
    return (JSON.parse(made.stdout) as { token: string }).token;
  };
  const tokens = { acme: await tokenOf('acme'), bolt: await tokenOf('bolt') };
  const running = new Running(['serve', '--config', file, '--json']);
  await running.says('"ready"');
  const { url } = JSON.parse(running.stdout.split('\n')[0]!) as { url: string };
  const contactsOf = async (tenant: keyof typeof bots) => {
    const headers = { authorization: `Bearer ${tokens[tenant]}` };
    const answer = await fetch(`${url}/instances`, { headers });
    const { items } = (await answer.json()) as { items: { contact: string; state: string }[] };
    return items.map(({ contact }) => contact);
  };
  return { running, url, shown, file, contactsOf };
}

test('tenants of a file have stores, channels and tokens of their own', async () => {
  const { url, shown, contactsOf } = await served();
  const post = (tenant: string, id: number, secret: string) =>
    postUpdate(`${url}/tenants/${tenant}`, telegramUpdate(id, 'Hello.', id), secret);

  expect((await post('acme', 1, 'secret_bolt')).status).toBe(401);
  expect((await post('acme', 1, 'secret_acme')).status).toBe(200);
  expect((await post('bolt', 2, 'secret_bolt')).status).toBe(200);
  expect((await post('other', 3, 'secret_bolt')).status).toBe(404);
  await until(() => shown['acme']!.shown.length > 0 && shown['bolt']!.shown.length > 0);

  expect(await contactsOf('acme')).toEqual(['telegram:1']);
  expect(await contactsOf('bolt')).toEqual(['telegram:2']);
  expect(shown['acme']!.shown.map(({ contact }) => contact)).toEqual(['telegram:1']);
});

test('commands reach the host of a tenant by its store, also after the tenant was opened anew', async () => {
  const { running, file } = await served();
  const store = join(file, '..', 'acme');
  const start = (id: string) =>
    dramaturg(['start', store, 'intake', '--id', id, '--contact', id, '--json']);
  expect(await start('one')).toMatchObject({ code: 0 });
  const acme = { store: 'acme', definitions, channels: ['telegram'], limits: { max_calls: 9 } };
  await writeFile(file, JSON.stringify(service({ acme })));
  process.kill(running.pid, 'SIGHUP');
  await until(() => running.stdout.includes('"reloaded"'));
  expect(await start('two')).toMatchObject({ code: 0 });
  const { stdout } = await dramaturg(['ps', store, '--json']);
  expect(stdout).toContain('"two"');
  expect((await dramaturg(['ps', join(file, '..', 'bolt.db')])).stdout).not.toContain('one');
  expect(await running.end('SIGTERM')).toBe(0);
});

test('SIGHUP loads a module of agents that has changed', async () => {
  const agents = (word: string) => `export const pack = () => ({ result: { word: '${word}' } });`;
  const order = { StartAt: 'P', States: { P: { Type: 'Task', Agent: 'pack', End: true } } };
  const tenant = { store: 'acme', definitions: { order: 'order.asl.json' }, agents: 'agents.mjs' };
  const folder = await folderWith({
    'service.yaml': JSON.stringify({ ...service(), tenants: { acme: tenant } }),
    'tokens.json': '{"tokens": []}',
    'order.asl.json': JSON.stringify(order),
    'agents.mjs': agents('before'),
  });
  const running = new Running(['serve', '--config', join(folder, 'service.yaml'), '--json']);
  await running.says('"ready"');
  const packed = async (id: string) => {
    const store = join(folder, 'acme');
    await dramaturg(['start', store, 'order', '--id', id]);
    const { stdout } = await dramaturg(['show', store, id, '--json']);
    return /before|after/.exec(stdout)?.[0];
  };
  expect(await packed('one')).toBe('before');
  await writeFile(join(folder, 'agents.mjs'), agents('after'));
  process.kill(running.pid, 'SIGHUP');
  await until(() => running.stdout.includes('"reloaded"'));
  expect(await packed('two')).toBe('after');
  expect(await running.end('SIGTERM')).toBe(0);
});

test('SIGHUP reads the file again, and one with a mistake changes nothing', async () => {
  const { running, url, file, contactsOf } = await served();
  const post = (tenant: string, id: number) =>
    postUpdate(`${url}/tenants/${tenant}`, telegramUpdate(id, 'Hello.', id), `secret_${tenant}`);
  const reload = async (content: object, isRead: () => boolean) => {
    await writeFile(file, JSON.stringify(content));
    process.kill(running.pid, 'SIGHUP');
    await until(isRead);
  };
  expect((await post('acme', 1)).status).toBe(200);

  await reload(service({ bolt: { store: 'acme' } }), () => running.stderr.includes('same-store'));
  expect((await post('bolt', 2)).status).toBe(200);
  await reload(
    service({ bolt: undefined, acme: { store: 'acme', definitions, limits: { max_calls: 9 } } }),
    () => running.stdout.includes('"reloaded"'),
  );

  expect((await post('bolt', 3)).status).toBe(404);
  expect((await post('acme', 4)).status).toBe(404);
  expect(await contactsOf('acme')).toEqual(['telegram:1']);
  expect(await running.end('SIGTERM')).toBe(0);
});

test.each([
  ['http: "127.0.0.1:0"\ntenants: {}', 'service.yaml:1:1', 'The field "tokens" is missing.'],
  [
    'http: "1"\ntokens: service.yaml\ntenants: { Acme: { store: s } }',
    'service.yaml:3:18',
    'a text that matches',
  ],
  ['http: "1"\ntoken: t\ntenants: {}', 'service.yaml:2:1', 'Did you mean "tokens"?'],
  ['http: "1"\ntokens: t\ntenants: { a: { store: s } }', 'service.yaml:2:9', 'There is no file'],
  [
    'http: "1"\ntokens: service.yaml\ntenants: { a: { store: s }, b: { store: ./s } }',
    'service.yaml:3:41',
    'The tenant "a" has this store already',
  ],
  [
    'http: "1"\ntokens: service.yaml\ntenants: { a: { store: s, channels: [twilio] } }',
    'service.yaml:3:38',
    'needs the public address',
  ],
  [
    'http: "1"\ntokens: service.yaml\ntenants: { a: { store: s, answer: x } }',
    'service.yaml:3:35',
    '"answer" names "x"',
  ],
  [
    'http: "1"\ntokens: service.yaml\ntenants: { a: { store: s, definitions: { x: bad.plan.json } } }',
    'bad.plan.json:1:1',
    'The field "states" is missing.',
  ],
])('check finds the mistake in %j', async (text, position, sentence) => {
  const folder = await folderWith({ 'service.yaml': text, 'bad.plan.json': '{"format":"plan"}' });
  const { code, stdout } = await dramaturg(['check', join(folder, 'service.yaml')]);
  expect(code).toBe(1);
  expect(stdout).toContain(position);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(sentence);
});
