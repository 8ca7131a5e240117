import { join } from 'node:path';
import { Collector, sharedPostgres, whyNoPostgres } from '@dramaturg/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { dramaturg, examples, folderWith } from '../command.ts';
import { greeted, json, newStore, Running, serve, until } from './processes.ts';

const intake = ['--definition', 'customer-intake.plan.json'];

async function collecting(): Promise<Collector> {
  const collector = await Collector.start();
  onTestFinished(() => collector.stop());
  return collector;
}

/** The spans of a greeted conversation that have ended: a turn with a call, a delivery. */
const greeting = ['chat', 'delivery', 'turn first'];

async function expectGreeting(collector: Collector): Promise<void> {
  await until(() => collector.spans.length >= greeting.length);
  const names = collector.spans.map(({ name }) => name);
  expect(names.toSorted((one, other) => one.localeCompare(other))).toEqual(greeting);
}

test('a host sends its traces to the collector of --otlp, and goes on in the next process', async () => {
  const collector = await collecting();
  const store = await newStore();
  const host = await serve(store, ...intake, '--otlp', collector.url);
  await greeted(store, 'conversation', 'ada');
  await expectGreeting(collector);
  await host.end('SIGTERM');
  const again = await serve(store, ...intake, '--otlp', collector.url);
  expect(await dramaturg(['cancel', store, 'conversation'])).toMatchObject({ code: 0 });
  await until(() => collector.spans.some(({ name }) => name === 'invoke_agent customer-intake'));
  await again.end('SIGTERM');
  expect(collector.twice).toEqual([]);
  expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(collector.metrics).toContain('dramaturg.turns');
  expect(collector.bodies.join()).not.toContain('account number');
  expect(again.stderr).toBe('');
});

test('the variables of OpenTelemetry name the collector, its headers and the service', async () => {
  const collector = await collecting();
  const store = await newStore();
  const host = new Running(['serve', store, ...intake], {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
    OTEL_SERVICE_NAME: 'front-desk',
  });
  await host.says('Ctrl+C stops the host.');
  await greeted(store, 'conversation', 'ada');
  await expectGreeting(collector);
  expect(collector.headers.authorization).toBe('Bearer of-the-collector');
  expect(collector.bodies.join()).toContain('"front-desk"');
});

test('the traces of tenants say whose they are', async () => {
  const collector = await collecting();
  const definitions = { intake: join(examples, 'customer-intake.plan.json') };
  const tenants = { acme: { store: 'acme', definitions }, bolt: { store: 'bolt', definitions } };
  const folder = await folderWith({
    'service.yaml': JSON.stringify({ http: '127.0.0.1:0', tokens: 'tokens.json', tenants }),
    'tokens.json': '{"tokens": []}',
  });
  const file = join(folder, 'service.yaml');
  const running = new Running(['serve', '--config', file, '--otlp', collector.url, '--json']);
  await running.says('"ready"');
  for (const name of Object.keys(tenants))
    await dramaturg(['start', join(folder, name), 'intake', '--contact', name, '--id', name]);
  const isNamed = (name: string) => collector.bodies.join().includes(`"stringValue":"${name}"`);
  await until(() => isNamed('acme') && isNamed('bolt'));
  expect(collector.bodies.join()).toContain('"dramaturg.tenant"');
});

test('a host goes on without its collector, says so once, and misses nothing', async () => {
  const collector = await collecting();
  collector.behaviour = 'refuses for now';
  const store = await newStore();
  const host = await serve(store, ...intake, '--otlp', collector.url);
  await greeted(store, 'conversation', 'ada');
  await until(() => host.stderr.includes('\n'));
  const attempts = collector.requests + 2;
  await until(() => collector.requests >= attempts);
  expect(host.stderr).toMatch(
    /^dramaturg: Traces: \d spans wait for the collector: .*\. The host goes on, and this is not repeated\.\n$/,
  );
  collector.behaviour = 'accepts';
  await expectGreeting(collector);
  expect(await host.end('SIGTERM')).toBe(0);
  expect(collector.twice).toEqual([]);
});

test('the trace of a request goes on in the trace of its instance, and in the requests of agents', async () => {
  const collector = await collecting();
  const folder = await folderWith({
    'order.asl.json': JSON.stringify({
      StartAt: 'Pack',
      States: { Pack: { Type: 'Task', Agent: 'pack', End: true } },
    }),
    'agents.mjs': 'export const pack = async (_, call) => ({ trace: await call.traceparent() });',
  });
  const store = await newStore();
  const files = ['--definition', join(folder, 'order.asl.json')];
  const agents = ['--agents', join(folder, 'agents.mjs'), '--http', '127.0.0.1:0', '--json'];
  const host = await serve(store, ...files, ...agents, '--otlp', collector.url);
  const [, url] = /"url":"([^"]+)"/.exec(host.stdout)!;
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  for (const [id, traceparent] of [
    ['linked', `00-${trace}-00f067aa0ba902b7-01`],
    ['alone', 'not a trace'],
  ] as const) {
    const answer = await fetch(`${url}/instances`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent },
      body: JSON.stringify({ definition: 'order', id }),
    });
    expect(answer.status).toBe(201);
  }
  await until(() => collector.spans.filter(({ name }) => name.startsWith('invoke_w')).length === 2);
  const links = collector.spans.flatMap((span) => span.links ?? []);
  expect(links).toMatchObject([{ traceId: trace, spanId: '00f067aa0ba902b7' }]);
  const call = collector.spans.find(({ name }) => name === 'invoke_agent pack')!;
  const journal = JSON.stringify(await json(['logs', store, 'linked', '--journal']));
  expect(journal).toContain(`00-${call.traceId}-${call.spanId}-01`);
});

test.each(['is slow', 'answers garbage', 'cuts the connection after it has the spans'] as const)(
  'a host stops while its collector %s',
  async (behaviour) => {
    const collector = await collecting();
    collector.behaviour = behaviour;
    const store = await newStore();
    const host = await serve(store, ...intake, '--otlp', collector.url);
    await greeted(store, 'conversation', 'ada');
    await until(() => collector.spans.length > 0);
    expect(await host.end('SIGTERM')).toBe(0);
  },
);

test.each([
  ['collector', '--otlp must be the URL of a collector, not "collector".'],
  ['ftp://collector', '--otlp must be the URL of a collector, not "ftp://collector".'],
  ['http://ada:x@collector', 'The URL of --otlp has a password'],
  ['http://collector/?key=1', '--otlp must be the base URL of a collector'],
])('a wrong --otlp is refused before anything happens: %s', async (url, because) => {
  const result = await dramaturg(['serve', await newStore(), '--otlp', url]);
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toContain(`error: ${because}`);
});

const noPostgres = whyNoPostgres();

test.skipIf(noPostgres)(
  'on Postgres, the next process sends the spans that have ended while no process sent them',
  async () => {
    const collector = await collecting();
    const store = (await sharedPostgres()).createDatabase().url;
    const first = await serve(store, ...intake, '--otlp', collector.url);
    await greeted(store, 'conversation', 'ada');
    await expectGreeting(collector);
    expect(await first.end('SIGTERM')).toBe(0);

    const untraced = await serve(store, ...intake);
    await greeted(store, 'another', 'ben');
    expect(await untraced.end('SIGTERM')).toBe(0);
    const before = collector.spans.length;

    const second = await serve(store, ...intake, '--otlp', collector.url);
    await until(() => collector.spans.slice(before).some(({ name }) => name === 'turn first'));
    expect(await second.end('SIGTERM')).toBe(0);
    expect(collector.twice).toEqual([]);
  },
);
