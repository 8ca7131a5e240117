import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { until } from '@dramaturg/testing';
import {
  type Channel,
  compile,
  createHost,
  lowdbStore,
  type Ports,
  protectSecret,
  RejectedError,
  sqliteStore,
  webhookChannel,
} from 'dramaturg';
import { langchainPorts } from '@dramaturg/langchain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { smallPlan } from '../command.ts';
import { withoutRepeating } from './without-repeating.ts';

/** Keys of no known form, so that only knowledge finds them. */
const planted = 'Qz7+tU/x9 planted "key" é Wm3==Lp8Kd2'.replaceAll(/[" é]/g, '-');

/** How a gateway refuses a request and gives its key back. */
const gateways: Readonly<Record<string, (response: ServerResponse, given: string) => void>> = {
  'a JSON error': (response, given) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `Bad key: ${given}`, param: given } }));
  },
  'the status text': (response, given) => void response.writeHead(403, `No ${given}`).end('no'),
  'a header': (response, given) => {
    response.writeHead(400, { 'x-request-authorization': given, 'set-cookie': given });
    response.end('{"error": {"message": "Bad request."}}');
  },
  'a page': (response, given) => {
    response.writeHead(422, { 'content-type': 'text/html' });
    response.end(`<h1>Refused</h1>${'x'.repeat(150)}${given}`);
  },
  'a page that is cut off': (response, given) => {
    response.writeHead(400);
    response.end(`${'x'.repeat(170)}${given.slice(0, -9)}`);
  },
  base64: (response, given) => {
    response.writeHead(400);
    response.end(`{"error": {"message": "${Buffer.from(`x${given}`).toString('base64')}"}}`);
  },
  'the form of a URL': (response, given) => {
    response.writeHead(404);
    response.end(`{"error": {"message": "/v1?key=${encodeURIComponent(given)}"}}`);
  },
  'the body of an answer': (response, given) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"completion": "${given}"}`);
  },
};

const stores = {
  lowdb: (folder: string) => lowdbStore(join(folder, 'store')),
  sqlite: (folder: string) => sqliteStore(join(folder, 'store.sqlite')),
};

test.each(
  Object.keys(gateways).flatMap((way) => Object.keys(stores).map((kind) => [way, kind] as const)),
)('a key that a gateway gives back in %s is in no file of %s', async (way, kind) => {
  const baseUrl = await serverThat((request, response) =>
    gateways[way]!(response, String(request.headers.authorization)),
  );
  const { plan, files, logged } = await refusedTurn(kind as keyof typeof stores, {
    ports: langchainPorts({
      model: 'openai:test',
      baseUrl,
      retries: 0,
      modelOptions: { apiKey: planted },
    }),
  });
  expect(plan).toBe('NEEDS_HUMAN_INTERVENTION');
  expect(secretsIn(files)).toEqual([]);
  expect(secretsIn(logged)).toEqual([]);
});

test.each(Object.keys(stores))(
  'a secret in the error of a port is in no file of %s',
  async (kind) => {
    const key = `${planted}-of-a-port`;
    protectSecret(key);
    const reply = () => {
      const cause = Object.assign(new Error('inner', { cause: { message: key, error: key } }), {
        key,
      });
      throw Object.assign(new Error(`The tool failed: ${key}`, { cause }), { headers: { a: key } });
    };
    const { files, logged } = await refusedTurn(kind as keyof typeof stores, { ports: { reply } });
    expect(secretsIn(files)).toEqual([]);
    expect(secretsIn(logged)).toEqual([]);
  },
);

test('the headers of a webhook and the error of a channel show no secret', async () => {
  const url = await serverThat((_, response) => response.writeHead(500).end());
  const webhook = webhookChannel({ url, headers: { 'x-desk': planted } });
  for (const failure of [
    new RejectedError(`Refused: ${planted}`),
    new RejectedError('Refused.', { cause: { request: { headers: { 'x-desk': planted } } } }),
    Object.assign(new Error(`Failed: ${planted}`), { config: { headers: { 'x-desk': planted } } }),
  ]) {
    const { files, logged } = await refusedTurn('lowdb', {
      ports: { reply: () => ({ text: 'Hello!' }) },
      deliver: async (...given) => {
        await Promise.resolve(webhook.deliver(...given)).catch(() => {});
        throw failure;
      },
    });
    expect(files.join('')).toContain('Hello!');
    expect(secretsIn(files)).toEqual([]);
    expect(secretsIn(logged)).toEqual([]);
  }
});

interface Failing {
  readonly ports: Partial<Ports>;
  readonly deliver?: Channel['deliver'];
}

/** Runs a conversation until something has failed. @returns all bytes that it left behind */
async function refusedTurn(
  kind: keyof typeof stores,
  { ports, deliver = () => {} }: Failing,
): Promise<{ readonly plan: string; readonly files: string[]; readonly logged: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-secrets-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const logged: string[] = [];
  const printed = vi.spyOn(console, 'error').mockImplementation((...all) => {
    logged.push(...all.map(String));
  });
  onTestFinished(() => printed.mockRestore());
  const open = (onError?: (error: unknown) => void) =>
    createHost({
      store: stores[kind](folder),
      definitions: { small: withoutRepeating(compile(smallPlan())) },
      ports,
      channels: { main: { deliver } },
      ...(onError ? { onError } : {}),
    });
  // Once with the own log of the host, and once with a log that prints everything that there is.
  for (const log of [
    undefined,
    (error: unknown) => void logged.push(inspect(error, { depth: 20, showHidden: true })),
  ]) {
    const host = await open(log);
    if (log === undefined) await host.start('small', { id: 'one', contact: 'ada' });
    await until(async () => (await host.get('one')).state !== 'ACTIVE', 'the turn');
    await host.receive({ contact: 'ada', text: 'Hello?' });
    await host.resume('one').catch(() => {});
    await until(async () => (await host.get('one')).state !== 'ACTIVE', 'the turn');
    logged.push(
      JSON.stringify([await host.get('one'), await host.journal('one', { from: 0, limit: 99 })]),
    );
    await host.stop({ within: 0 });
  }
  const host = await open();
  const { state } = await host.get('one');
  await host.stop({ within: 0 });
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));
  return {
    plan: state,
    files: await Promise.all(files.map((file) => readFile(file, 'latin1'))),
    logged,
  };
}

/** Which ten characters of the key, or of one of its forms, are in the texts. */
function secretsIn(texts: readonly string[]): string[] {
  const base64 = [0, 1, 2].map((before) =>
    Buffer.from(`${' '.repeat(before)}${planted}`)
      .toString('base64')
      .slice(before && 4, -4),
  );
  return [planted, encodeURIComponent(planted), ...base64].flatMap((form) =>
    Array.from({ length: form.length - 11 }, (_, at) => form.slice(at, at + 12)).filter((piece) =>
      texts.some((text) => text.includes(piece)),
    ),
  );
}

async function serverThat(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(request, response));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
