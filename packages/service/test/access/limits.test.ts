import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { serverOf } from '@dramaturg/service';
import fc from 'fast-check';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TokenBuckets } from '../../src/access/failure-limit.ts';
import { authenticate, bearer, openStream, sendRaw, serveGuarded } from './guarded.ts';

describe('requests of a token', () => {
  test('are limited in a minute, also when they come at once, and each token alone', async () => {
    let now = 0;
    const { ask } = await serveGuarded({
      authenticate,
      limits: { requestsPerMinute: 10 },
      now: () => now,
    });
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => ask('GET', '/me', bearer('reader'))),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect([answers.filter(({ status }) => status === 200).length, refused.length]).toEqual([
      10, 15,
    ]);
    for (const { body, headers } of refused) {
      expect(body['code']).toBe('access/too-many-requests');
      expect(headers['retry-after']).toBe('6');
    }
    expect((await ask('GET', '/me', bearer('app'))).status).toBe(200);
    now += 6_000;
    expect((await ask('GET', '/me', bearer('reader'))).status).toBe(200);
    expect((await ask('GET', '/me', bearer('reader'))).status).toBe(429);
  });

  test('have the limit of the token before that of the service, and none on loopback', async () => {
    const limits = { requestsPerMinute: 100 };
    const { ask } = await serveGuarded({ authenticate, limits, now: () => 0 });
    const statuses = [];
    for (let index = 0; index < 3; index += 1)
      statuses.push((await ask('GET', '/me', bearer('slow'))).status);
    expect(statuses).toEqual([200, 200, 429]);
    const open = await serveGuarded({ limits: { requestsPerMinute: 1 }, now: () => 0 });
    for (let index = 0; index < 3; index += 1)
      expect((await open.ask('GET', '/me')).status).toBe(200);
  });

  test('a bucket never gives more than its capacity and its rate', () => {
    const steps = fc.array(fc.tuple(fc.nat(30_000), fc.constantFrom<'a' | 'b'>('a', 'b')), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 20 }), (taken, perMinute) => {
        let now = 0;
        const buckets = new TokenBuckets(10, () => now);
        const given = { a: 0, b: 0 };
        let longest = 0;
        for (const [elapsed, key] of taken) {
          now += elapsed;
          const wait = buckets.take(key, { capacity: perMinute, perMinute });
          if (wait === 0) given[key] += 1;
          longest = Math.max(longest, wait);
        }
        const most = perMinute + (now * perMinute) / 60_000 + 1e-6;
        expect(Math.max(given.a, given.b)).toBeLessThanOrEqual(most);
        expect(longest).toBeLessThanOrEqual(60_000 / perMinute + 1);
      }),
    );
  });

  test('the number of buckets in memory is bounded', () => {
    const buckets = new TokenBuckets(100, () => 0);
    const rate = { capacity: 1, perMinute: 1 };
    for (let index = 0; index < 1_000; index += 1) buckets.take(`key ${index}`, rate);
    expect(buckets.take('key 999', rate)).toBeGreaterThan(0);
    expect(buckets.take('key 1', rate)).toBe(0);
  });
});

describe('unknown tokens', () => {
  test('of an address are refused after too many, and are not looked up', async () => {
    let now = 0;
    const seen: string[] = [];
    const { ask } = await serveGuarded({
      authenticate: (token) => {
        seen.push(token);
        return authenticate(token);
      },
      limits: { failuresPerMinute: 5 },
      now: () => now,
    });
    expect((await ask('GET', '/me', bearer('reader'))).status).toBe(200);
    const statuses = [];
    for (let index = 0; index < 7; index += 1)
      statuses.push((await ask('GET', '/me', bearer(`guess-${index}`))).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect(seen).toHaveLength(6);
    // A token that was valid before is not locked out, and a right guess is not found out.
    expect((await ask('GET', '/me', bearer('reader'))).status).toBe(200);
    const right = await ask('GET', '/me', bearer('root'));
    expect(right).toMatchObject({ status: 429, body: { code: 'access/too-many-failures' } });
    expect(Number(right.headers['retry-after'])).toBe(12);
    now += 12_000;
    expect((await ask('GET', '/me', bearer('root'))).status).toBe(200);
  });

  test('that come at once are looked up no more often than the limit', async () => {
    const seen: string[] = [];
    const { ask } = await serveGuarded({
      authenticate: async (token) => {
        seen.push(token);
        await pause(20);
        return authenticate(token);
      },
      limits: { failuresPerMinute: 5 },
      now: () => 0,
    });
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, index) => ask('GET', '/me', bearer(`guess-${index}`))),
    );
    expect(seen).toHaveLength(5);
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(5);
  });

  test('do not count where tokens are valid', async () => {
    const { ask } = await serveGuarded({
      authenticate: async (token) => {
        await pause(5);
        return { name: token, scopes: ['read'] };
      },
      limits: { failuresPerMinute: 2 },
      now: () => 0,
    });
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          ask('GET', '/me', bearer(`valid-${round}${index}`)),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    }
  });

  test('use up the limit, while valid tokens and a failing store of tokens give back what they take', async () => {
    let now = 0;
    const { ask } = await serveGuarded({
      authenticate: (token) => {
        if (token.startsWith('lost')) throw new Error('The store of tokens is not reachable.');
        return token.startsWith('valid') ? { name: token, scopes: ['read'] } : undefined;
      },
      limits: { failuresPerMinute: 2 },
      now: () => now,
      onError: () => {},
    });
    const statuses = async (...tokens: string[]) => {
      const all: number[] = [];
      for (const token of tokens) all.push((await ask('GET', '/me', bearer(token))).status);
      return all;
    };
    expect(await statuses('lost-1', 'lost-2', 'lost-3', 'valid-1', 'valid-2', 'valid-3')).toEqual([
      503, 503, 503, 200, 200, 200,
    ]);
    expect(await statuses('wrong-1', 'lost-4', 'valid-4', 'wrong-2')).toEqual([401, 503, 200, 401]);
    expect(await statuses('wrong-3', 'lost-5', 'valid-5')).toEqual([429, 429, 429]);
    now += 30_000;
    expect(await statuses('lost-6', 'valid-6', 'wrong-4', 'wrong-5')).toEqual([503, 200, 401, 429]);
  });

  test('are counted for each client behind a proxy that names it', async () => {
    const { ask } = await serveGuarded({
      authenticate,
      limits: { failuresPerMinute: 1 },
      addressOf: ({ req }) => req.header('x-real-ip'),
      now: () => 0,
    });
    const from = (address: string) =>
      ask('GET', '/me', { ...bearer('guess'), 'x-real-ip': address });
    expect((await from('203.0.113.1')).status).toBe(401);
    expect((await from('203.0.113.1')).status).toBe(429);
    expect((await from('203.0.113.2')).status).toBe(401);
  });
});

describe('open streams', () => {
  test('of a token are limited, also when they come at once, and a closed one makes room', async () => {
    const { port, ask } = await serveGuarded({ authenticate, limits: { streams: 3 } });
    const streams = await Promise.all(Array.from({ length: 8 }, () => openStream(port, 'reader')));
    const open = streams.filter(({ status }) => status === 200);
    expect([open.length, streams.length - open.length]).toEqual([3, 5]);
    expect(await ask('GET', '/events', bearer('reader'))).toMatchObject({
      status: 429,
      headers: { 'retry-after': '10', 'content-type': 'application/problem+json' },
      body: { code: 'access/too-many-streams' },
    });
    expect((await openStream(port, 'app')).status).toBe(200);
    open[0]!.close();
    await expect.poll(async () => (await openStream(port, 'reader')).status).toBe(200);
    expect((await openStream(port, 'reader')).status).toBe(429);
  });

  test('are ended when only their headers are asked for', async () => {
    const { ask, cancelled } = await serveGuarded({ authenticate, limits: { streams: 1 } });
    for (let index = 1; index <= 3; index += 1) {
      const { status, headers } = await ask('HEAD', '/events', bearer('reader'));
      expect([status, headers['content-type']]).toEqual([200, 'text/event-stream']);
      expect(cancelled).toHaveLength(index);
    }
  });

  test('end when their token is revoked or loses a scope, and not when it cannot be checked', async () => {
    let answer: () => ReturnType<typeof authenticate> = () => authenticate('reader');
    const checks: number[] = [];
    const { port } = await serveGuarded({
      authenticate: () => {
        checks.push(1);
        return answer();
      },
      limits: { recheckStreamsMs: 20 },
      onError: () => {},
    });
    const stream = await openStream(port, 'reader');
    answer = () => {
      throw new Error('The database is down.');
    };
    await expect.poll(() => checks.length).toBeGreaterThan(3);
    answer = () => ({ name: 'reader', scopes: ['converse'] });
    await stream.ended;
    answer = () => authenticate('reader');
    const other = await openStream(port, 'reader');
    answer = () => undefined;
    await other.ended;
    expect((await openStream(port, 'reader')).status).toBe(401);
  });
});

describe('bodies', () => {
  const json = { ...bearer('app'), 'content-type': 'application/json' };

  test('reach the route as they were sent', async () => {
    const { ask, reached } = await serveGuarded({ authenticate });
    const said = JSON.stringify({ text: 'Grüße, 世界 🎭' });
    expect((await ask('POST', '/messages', json, said)).status).toBe(200);
    expect((await ask('POST', '/messages', bearer('app'))).status).toBe(200);
    expect(reached).toEqual([said, '']);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json; charset=latin1',
    'text/plain; application/json',
  ])('of another type are refused: %s', async (type) => {
    const { ask, reached } = await serveGuarded();
    const answer = await ask('POST', '/messages', { 'content-type': type }, '{}');
    expect(answer).toMatchObject({ status: 415, body: { code: 'request/media-type' } });
    expect(reached).toEqual([]);
  });

  test('above the limit are refused, with a length and in chunks, and none is read without a token', async () => {
    const { ask, port, reached } = await serveGuarded({
      authenticate,
      limits: { bodyBytes: 1_000 },
    });
    expect((await ask('POST', '/messages', json, 'x'.repeat(1_000))).status).toBe(200);
    const large = 'x'.repeat(1_001);
    const chunked = { ...json, 'transfer-encoding': 'chunked' };
    for (const headers of [json, chunked])
      expect(await ask('POST', '/messages', headers, large)).toMatchObject({
        status: 413,
        headers: { connection: 'close' },
        body: { code: 'request/too-large' },
      });
    const announced = `POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n`;
    expect(await sendRaw(port, `${announced}\r\n`)).toContain('401 Unauthorized');
    expect(await sendRaw(port, `${announced}Authorization: Bearer app\r\n\r\n`)).toContain('413 ');
    expect(reached).toHaveLength(1);
  });

  test.each([
    ['[]', 200],
    [JSON.stringify({ text: '[,"{'.repeat(30_000), path: '\\' }), 200],
    [JSON.stringify(Array.from({ length: 19_999 }, () => 1)), 200],
    [JSON.stringify(Array.from({ length: 20_001 }, () => 1)), 413],
    [JSON.stringify(Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [i, 1]))), 413],
    ['['.repeat(501), 413],
  ])(
    'with many values or levels are refused before they are parsed: %.20s, %i',
    async (body, status) => {
      const { ask } = await serveGuarded();
      expect((await ask('POST', '/messages', json, body)).status).toBe(status);
    },
  );

  test('that arrive too slowly are given up', async () => {
    const { port, reached } = await serveGuarded({ authenticate, limits: { bodyTimeoutMs: 50 } });
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      'POST /messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer app\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n',
    );
    const drip = setInterval(() => socket.write('x'), 10);
    const answered = await text(socket);
    clearInterval(drip);
    expect(answered).toContain('408 Request Timeout');
    expect(answered).toContain('request/too-slow');
    expect(reached).toEqual([]);
  });

  test('that are not UTF-8 are refused', async () => {
    const { ask, reached } = await serveGuarded();
    const answer = await ask('POST', '/messages', {}, Buffer.from([0x22, 0xff, 0x22]));
    expect(answer).toMatchObject({ status: 400, body: { code: 'request/invalid' } });
    expect(reached).toEqual([]);
  });

  test('and headers have a time limit in the server of a service', () => {
    const { headersTimeout, requestTimeout, keepAliveTimeout, maxConnections } = serverOf(
      () => new Hono(),
    );
    expect({ headersTimeout, requestTimeout, keepAliveTimeout, maxConnections }).toEqual({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 75_000,
      maxConnections: 10_000,
    });
  });

  test('a connection stays open for longer than a proxy keeps it', async () => {
    const server = serverOf(() => new Hono());
    server.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/`);
    await response.text();
    expect(response.headers.get('keep-alive')).toBe('timeout=75');
  });

  test('headers that are too large are refused by the server', async () => {
    const { port } = await serveGuarded();
    const large = `GET /me HTTP/1.1\r\nHost: localhost\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`;
    expect(await sendRaw(port, large)).toContain('431 ');
  });
});
