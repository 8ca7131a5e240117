import { telegramUpdate } from '@dramaturg/channel-telegram/testing';
import { whyNoRestate } from '@dramaturg/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dramaturg } from '../command.ts';
import { json, type Running, until } from './processes.ts';
import { reaches, restate, serve, transcriptOf } from './restate-processes.ts';
import { postUpdate, telegramInEnvironment, token } from './telegram.ts';

const missing = whyNoRestate();

describe.skipIf(missing)(`a service on Restate${missing ? ` (${missing})` : ''}`, () => {
  test('several processes serve HTTP, the desk and assistants for the same instances', async () => {
    const place = await restate();
    const options = ['--http', '127.0.0.1:0', '--desk', '--mcp', '--json'];
    const first = await urlOf(await serve(place, 'customer-intake.plan.json', ...options));
    const second = await urlOf(await serve(place, 'customer-intake.plan.json', ...options));
    expect(first).not.toBe(second);
    for (const url of [first, second]) {
      expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ready' });
      expect((await fetch(`${url}/desk`)).status).toBe(200);
    }

    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const events = streamOf(second, leaving.signal);
    const start = ['customer-intake', '--id', 'first', '--contact', 'ada'];
    expect(await dramaturg(['start', first, ...start])).toMatchObject({ code: 0 });
    await reaches([second], 'first', 'WAITING_FOR_REPLY');
    await until(() => events.text.includes('"message.delivered"'));
    expect(await dramaturg(['take-over', second, 'first', '--as', 'ana'])).toMatchObject({
      code: 0,
    });
    expect(await json(['show', first, 'first'])).toMatchObject({
      state: 'PAUSED',
      owner: { by: 'ana' },
    });
    await dramaturg(['hand-back', first, 'first', '--as', 'ana']);
    expect(await dramaturg(['send', second, 'first', 'Ada'])).toMatchObject({ code: 0 });
    await until(async () =>
      (await transcriptOf([first], 'first')).includes('agent: What is your account number?'),
    );

    const initialized = await fetch(`${first}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        },
      }),
    });
    expect(await initialized.text()).toContain('"name":"dramaturg"');
  });

  test('a person in Telegram writes to one process, and any of them answers', async () => {
    const telegram = await telegramInEnvironment();
    const place = await restate();
    const options = ['--channel', 'telegram', '--http', '127.0.0.1:0', '--json'];
    const processes = [
      await serve(place, 'customer-intake.plan.json', ...options),
      await serve(place, 'customer-intake.plan.json', ...options),
    ];
    const urls = await Promise.all(processes.map(urlOf));
    expect((await postUpdate(urls[0]!, telegramUpdate(42, 'Hello.', 1), 'wrong')).status).toBe(401);
    // Telegram repeats what it has no answer to, and a load balancer gives it to another process.
    for (const url of urls) {
      expect((await postUpdate(url, telegramUpdate(42, 'Hello.', 1))).status).toBe(200);
    }
    await until(() => telegram.shown.length > 0);
    await postUpdate(urls[1]!, telegramUpdate(42, 'Ada', 2));
    await until(() => telegram.shown.length > 1);
    const texts = telegram.shown.map(({ text }) => text);
    expect(texts[1]).toBe('What is your account number?');
    const { instances } = await json(['ps', ...place]);
    expect(instances).toMatchObject([{ contact: 'telegram:42' }]);
    for (const each of processes) expect(each.stdout + each.stderr).not.toContain(token);
  });
});

async function urlOf(host: Running): Promise<string> {
  const line = host.stdout.split('\n').find((each) => each.includes('"ready"'))!;
  return (JSON.parse(line) as { readonly url: string }).url;
}

/** Collects what the stream of events sends, until the signal. */
function streamOf(url: string, signal: AbortSignal): { readonly text: string } {
  const received = { text: '' };
  void (async () => {
    const answer = await fetch(`${url}/events`, { signal });
    const decoder = new TextDecoder();
    for await (const bytes of answer.body!) {
      received.text += decoder.decode(bytes, { stream: true });
    }
  })().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return received;
}
