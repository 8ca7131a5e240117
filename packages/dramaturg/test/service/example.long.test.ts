import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@dramaturg/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { firstWord } from '../../../../.config/first-word.ts';
import { until } from '../host-cli/processes.ts';

const app = fileURLToPath(new URL('../../../../docs/examples/service/app.mjs', import.meta.url));

/** One after each step. */
const kills = 5;
const people = Array.from({ length: kills }, (_, index) => `person-${index}`);

function nameOf(index: number): string {
  return `Anna ${String.fromCodePoint(65 + index)}lund`;
}

interface Posted {
  readonly id: string;
  readonly contact: string;
  readonly text: string;
}

/** The provider of the messages, and the people behind it. */
class Provider {
  readonly posted = new Map<string, Posted>();
  readonly repeated: (readonly [Posted, Posted])[] = [];
  readonly sent = new Map<string, string[]>();
  /** How many messages have arrived, on either side. */
  traffic = 0;
  readonly #webhook: string;
  #hasEnded = false;

  constructor(webhook: string) {
    this.#webhook = webhook;
  }

  stop(): void {
    this.#hasEnded = true;
  }

  /** A message of the application. A repeated one has the same id. */
  take(message: Posted): void {
    const before = this.posted.get(message.id);
    if (before) return void this.repeated.push([before, message]);
    this.posted.set(message.id, message);
    this.traffic += 1;
    const index = people.indexOf(message.contact);
    // Who answers this fast quotes: without that, an answer before the receipt of its question is taken as an earlier one.
    const answer = message.text.includes('name')
      ? nameOf(index)
      : message.text.includes('euros') && `${100 + index}`;
    if (answer && !this.sent.get(message.contact)?.includes(answer))
      void this.say(message.contact, answer, message.id);
  }

  /** Sends a message again until it is answered with 200, as providers do. */
  async say(from: string, text: string, replyTo?: string): Promise<void> {
    const said = this.sent.get(from) ?? [];
    this.sent.set(from, [...said, text]);
    const body = JSON.stringify({ from, text, replyTo, id: `${from}/${said.length + 1}` });
    // A signal for all requests would collect a listener for each of them.
    while (!this.#hasEnded) {
      const response = await fetch(this.#webhook, { method: 'POST', body }).catch(() => {});
      if (response?.status === 200) {
        this.traffic += 1;
        break;
      }
      await pause(40);
    }
  }
}

test('the application of the documentation loses nothing when it is killed again and again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  const [port, webhookPort, postPort] = [await freePort(), await freePort(), await freePort()];
  const [service, webhook] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${webhookPort}`];
  const provider = new Provider(webhook);
  const outside = createServer((request, response) => {
    void json(request).then((message) => {
      provider.take(message as Posted);
      response.end();
    });
  }).listen(postPort, '127.0.0.1');
  let running: ChildProcess | undefined;
  let errors = '';
  const start = async (): Promise<ChildProcess> => {
    running = spawn(process.execPath, ['--no-warnings', app], {
      env: {
        ...process.env,
        STORE: join(folder, 'claims.db'),
        PORT: `${port}`,
        WEBHOOK_PORT: `${webhookPort}`,
        POST_TO: `http://127.0.0.1:${postPort}`,
        REMIND_AFTER_MS: '3600000',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.stderr!.on('data', (part: Buffer) => (errors += part.toString()));
    await firstWord(running);
    return running;
  };
  const ask = async <Body>(path: string, body?: object): Promise<Body> => {
    const response = await fetch(path.startsWith('/') ? service + path : path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    });
    return (await response.json()) as Body;
  };
  onTestFinished(async () => {
    provider.stop();
    outside.close();
    running?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  const isDone = { yet: false };
  const desk = (async () => {
    while (!isDone.yet) {
      type Open = { readonly items: readonly { readonly decision: string }[] };
      const open = await ask<Open>('/decisions').catch(() => ({ items: [] }));
      for (const { decision } of open.items) {
        const path = `/decisions/${encodeURIComponent(decision)}`;
        await ask(path, { decision: 'approve', by: 'desk' }).catch(() => {});
      }
      await pause(50);
    }
  })();
  for (let count = 0; count < kills; count += 1) {
    const child = await start();
    const before = provider.traffic;
    void provider.say(people[count]!, 'Hello');
    // Each time after another step: the greeting is accepted, the name asked for, accepted, the amount asked for.
    await until(() => provider.traffic >= before + ((count * 3 + 1) % 5));
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  const last = await start();

  interface Claim {
    readonly contact: string;
    readonly state: string;
    readonly name: string;
    readonly amount: number;
    readonly paid: number;
  }
  let report: readonly Claim[] = [];
  await until(async () => {
    report = await ask<readonly Claim[]>(`${webhook}/report`);
    return report.length === people.length && report.every(({ paid }) => paid > 0);
  });
  isDone.yet = true;
  await desk;
  expect(new Map(report.map((claim) => [claim.contact, claim]))).toEqual(
    new Map(
      people.map((contact, index) => [
        contact,
        expect.objectContaining({
          state: 'COMPLETED',
          name: nameOf(index),
          amount: 100 + index,
          paid: 100 + index,
        }),
      ]),
    ),
  );
  // Every message of a person is in a transcript once, and every message to a person was posted.
  type List = { readonly items: readonly { readonly id: string; readonly contact: string }[] };
  type Lines = { readonly lines: readonly { readonly role: string; readonly text: string }[] };
  const { items } = await ask<List>('/instances?definition=intake&limit=100');
  expect(items.map(({ contact }) => contact).toSorted()).toEqual(people.toSorted());
  for (const { id, contact } of items) {
    const { lines } = await ask<Lines>(`/instances/${encodeURIComponent(id)}/transcript`);
    const of = (role: string) => lines.filter((line) => line.role === role).map(({ text }) => text);
    // The first message starts the claim. It is in the conversation too, if its answer was lost.
    const answers = of('contact').filter((text) => text !== 'Hello');
    expect(answers.toSorted()).toEqual(provider.sent.get(contact)!.slice(1).toSorted());
    const posted = Array.from(provider.posted.values()).filter((each) => each.contact === contact);
    expect(posted.map(({ text }) => text).toSorted()).toEqual(of('agent').toSorted());
  }
  for (const [before, message] of provider.repeated) expect(message).toEqual(before);
  last.kill('SIGTERM');
  expect(await once(last, 'exit')).toEqual([0, null]);
  expect(errors).toBe('');
});

test('the application has fewer than 120 lines', async () => {
  expect((await readFile(app, 'utf8')).trimEnd().split('\n').length).toBeLessThan(120);
});
