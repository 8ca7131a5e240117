import { request } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { greeted, newStore, serve } from './processes.ts';

interface Answered {
  readonly status: number;
  readonly body: unknown;
  /** The header, in seconds. */
  readonly retryAfter?: string | undefined;
}

function ask(store: string, method: string, path: string, body?: string): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const at = { socketPath: join(store, 'host.sock'), method, path, headers };
    const asked = request(at, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          body: JSON.parse(text) as unknown,
          retryAfter: response.headers['retry-after'],
        }),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const order = JSON.stringify({ definition: 'customer-intake', id: 'over-http', contact: 'ada' });

test.skipIf(process.platform === 'win32')(
  'the socket answers with the codes of the table',
  async ({ skip }) => {
    skip(!runsAll);
    const store = await newStore();
    const host = await serve(store, '--definition', 'customer-intake.plan.json');
    expect(await ask(store, 'POST', '/instances', order)).toEqual({
      status: 201,
      body: { id: 'over-http', state: expect.any(String) },
    });
    expect(await ask(store, 'POST', '/instances', order)).toMatchObject({
      status: 409,
      body: { code: 'host/exists' },
    });
    expect(await ask(store, 'GET', '/status')).toEqual({
      status: 200,
      body: {
        pid: host.pid,
        uptime_seconds: expect.any(Number),
        connections: ['console', 'webhook'],
        definitions: ['customer-intake'],
        active_instance_count: 1,
        total_instance_count: 1,
      },
    });
    expect(await ask(store, 'GET', '/instances?limit=1')).toMatchObject({
      status: 200,
      body: { items: [{ id: 'over-http' }] },
    });
    expect(await ask(store, 'GET', '/instances/over-http')).toMatchObject({ status: 200 });
    expect(await ask(store, 'GET', '/instances/over-http/transcript')).toMatchObject({
      status: 200,
    });
    expect(await ask(store, 'POST', '/instances/over-http/resume')).toMatchObject({
      status: 409,
      body: {
        detail: expect.stringContaining('does not accept "resume"'),
        code: 'event/not-accepted',
        refused: { state: expect.any(String), accepts: expect.arrayContaining(['pause']) },
      },
    });
    expect(await ask(store, 'POST', '/instances/over-http/pause', '{}')).toEqual({
      status: 200,
      body: { accepted: true, state: 'PAUSED' },
    });
    const long = JSON.stringify({ contact: 'ada', text: 'x'.repeat(100_000) });
    for (let count = 0; count < 80; count += 1)
      expect(await ask(store, 'POST', '/messages', long)).toMatchObject({ status: 200 });
    expect(await ask(store, 'POST', '/messages', long)).toMatchObject({
      status: 429,
      retryAfter: '60',
      body: {
        detail: '80 messages of 8000000 UTF-16 units wait already. Send it again in 60 s.',
        code: 'message/inbox-full',
        refused: { state: 'PAUSED', retryAfterMs: 60_000 },
      },
    });
    expect(await ask(store, 'POST', '/messages', '{"contact": "bob", "text": "Hi."}')).toEqual({
      status: 200,
      body: {
        instance: null,
        accepted: false,
        code: 'host/no-holder',
        because: 'No instance holds the contact, so the message is not kept.',
      },
    });
  },
);

test.skipIf(process.platform === 'win32')(
  'nothing that comes through the socket is taken on trust',
  async () => {
    const store = await newStore();
    await serve(store, '--definition', 'customer-intake.plan.json');
    await greeted(store, 'conversation', 'ada');
    const cases: [method: string, path: string, body: string | undefined, status: number][] = [
      ['GET', '/', undefined, 404],
      ['GET', '/instances/', undefined, 404],
      ['DELETE', '/instances/conversation', undefined, 404],
      ['GET', '/instances/unknown', undefined, 404],
      ['GET', '/instances/unknown/transcript', undefined, 404],
      ['GET', '/instances/host%3Aalive/journal', undefined, 404],
      ['GET', '/instances/..%2F..%2Fetc', undefined, 404],
      ['GET', '/instances/%E0%A4%A', undefined, 404],
      ['GET', '/instances/constructor', undefined, 404],
      ['GET', '/instances?limit=0', undefined, 400],
      ['GET', '/instances?limit=1000000', undefined, 400],
      ['GET', '/instances?state=A&where=1', undefined, 400],
      ['GET', '/instances?after=%00nonsense', undefined, 400],
      ['GET', '/instances/conversation/transcript?from=-1', undefined, 400],
      ['POST', '/instances', '{"definition": ', 400],
      ['POST', '/instances', '[]', 400],
      ['POST', '/instances', '{"definition": "none"}', 400],
      ['POST', '/instances', '{"definition": {"name": "a", "text": "{}"}}', 400],
      ['POST', '/instances', '{"definition": "customer-intake", "__proto__": {"a": 1}}', 400],
      ['POST', '/instances', '{"definition": "customer-intake", "input": [1]}', 400],
      ['POST', '/instances/conversation/send', '{"event": {"type": ""}}', 400],
      ['POST', '/instances/conversation/send', '{"event": {"type": "xstate.stop"}}', 400],
      ['POST', '/instances/conversation/intervene', '{"text": 1}', 400],
      ['POST', '/instances/conversation/cancel', '{"reason": {}}', 400],
      ['POST', '/instances/unknown/pause', '{}', 404],
      [
        'POST',
        '/instances',
        `{"definition": "a", "input": ${'['.repeat(9e4)}${']'.repeat(9e4)}}`,
        413,
      ],
      ['POST', '/messages', `{"contact": "${'a'.repeat(2_000_000)}"}`, 413],
    ];
    for (const [method, path, body, status] of cases) {
      const answered = await ask(store, method, path, body);
      expect([path, answered.status, answered.body]).toEqual([
        path,
        status,
        expect.objectContaining({ detail: expect.any(String), code: expect.any(String), status }),
      ]);
    }
    expect(await ask(store, 'GET', '/instances/conversation')).toMatchObject({
      status: 200,
      body: { state: 'WAITING_FOR_REPLY' },
    });
  },
);
