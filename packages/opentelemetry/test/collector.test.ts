import { rm } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@dramaturg/testing';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { Host } from 'dramaturg';
import { expect, onTestFinished, test } from 'vitest';
import { runsAll } from '../../../.config/scaled.ts';
import { positionFile, traceHost, type SpanExporter } from '../src/index.ts';
import { type CollectorBehaviour as Behaviour, Collector } from '@dramaturg/test-servers';
import { type Staging, traced, workflow } from './stage.ts';

const echo = workflow({
  StartAt: 'Echo',
  States: { Echo: { Type: 'Task', Agent: 'echo', End: true } },
});
const ports = { runAgent: () => ({ result: 'fine' }) };
/** Instance, turn, transition and call. */
const spansOfRun = 4;

async function collecting(): Promise<Collector> {
  const collector = await Collector.start();
  onTestFinished(() => collector.stop());
  return collector;
}

async function exportingTo(collector: Collector, options: Staging = {}) {
  const errors: string[] = [];
  const stage = await traced(
    { echo },
    {
      ports,
      exporter: new OTLPTraceExporter({ url: `${collector.url}/v1/traces`, timeoutMillis: 1500 }),
      onError: ({ message }) => errors.push(message),
      ...options,
    },
  );
  return { ...stage, errors };
}

/** Runs a workflow: the host does not notice what happens to its traces. */
async function run(host: Host, id: string): Promise<void> {
  await host.start('echo', { id });
  expect(await host.settle()).toBe(true);
  expect((await host.get(id)).state).toBe('COMPLETED');
}

test('an exporter of OTLP hands all spans to a collector, each once', async () => {
  const collector = await collecting();
  const { host, tracing, errors } = await exportingTo(collector);
  for (let count = 0; count < 20; count += 1) await run(host, `e${count}`);
  await tracing.flush();
  expect(collector.spans).toHaveLength(20 * spansOfRun);
  expect(collector.twice).toEqual([]);
  expect(tracing.counts).toEqual({ exported: 20 * spansOfRun, refused: 0, uncertain: 0 });
  expect(errors).toEqual([]);
});

const outages: readonly Behaviour[] = ['refuses for now', 'fails'];

test.each(outages)(
  'after an outage the collector has everything, each span once: it %s',
  async (behaviour) => {
    const collector = await collecting();
    const { host, tracing, errors } = await exportingTo(collector);
    await run(host, 'before');
    await tracing.flush();
    collector.behaviour = behaviour;
    const requests = collector.requests;
    await run(host, 'one');
    await run(host, 'two');
    await until(() => collector.requests > requests + 1, 'attempts');
    await until(() => errors.length > 0, 'the report');
    collector.behaviour = 'accepts';
    await until(() => tracing.counts.exported === 3 * spansOfRun, 'the spans');
    expect(collector.spans).toHaveLength(3 * spansOfRun);
    expect(collector.twice).toEqual([]);
    expect(errors[0]).toContain('spans wait for the collector');
  },
);

test('a collector that is not there for a while misses nothing', async () => {
  const first = await Collector.start();
  const { host, tracing, errors } = await exportingTo(first);
  const { port } = first;
  await first.stop();
  await run(host, 'one');
  await until(() => errors.length > 1, 'the reports');
  const second = await Collector.start(port);
  onTestFinished(() => second.stop());
  await until(() => tracing.counts.exported === spansOfRun, 'the spans');
  expect(second.spans).toHaveLength(spansOfRun);
  expect(second.twice).toEqual([]);
});

test('a collector that refuses the spans for good is not asked again', async () => {
  const collector = await collecting();
  const { host, tracing, errors } = await exportingTo(collector);
  collector.behaviour = 'refuses for good';
  await run(host, 'one');
  await until(() => tracing.counts.refused === spansOfRun, 'the refusal');
  collector.behaviour = 'accepts';
  await run(host, 'two');
  await tracing.flush();
  expect(collector.spans).toHaveLength(spansOfRun);
  expect(errors.join()).toContain(`The collector has refused ${spansOfRun} spans`);
});

const harmless: readonly Behaviour[] = ['is slow', 'answers garbage'];

test.each(harmless)('a collector that has the spans gets them once: it %s', async (behaviour) => {
  const collector = await collecting();
  const { host, tracing } = await exportingTo(collector, {
    exporter: new OTLPTraceExporter({ url: `${collector.url}/v1/traces`, timeoutMillis: 5000 }),
  });
  collector.behaviour = behaviour;
  await run(host, 'one');
  await run(host, 'two');
  await tracing.flush();
  expect(collector.spans).toHaveLength(2 * spansOfRun);
  expect(collector.twice).toEqual([]);
});

/** Nobody knows whether the collector has the spans: the answer is lost. */
const lostAnswers: readonly Behaviour[] = [
  'cuts the connection before it has the spans',
  'never answers',
];

test.each(lostAnswers)(
  'spans whose answer is lost are not repeated, and are counted: it %s',
  async (behaviour) => {
    const collector = await collecting();
    const { host, tracing, errors } = await exportingTo(collector);
    collector.behaviour = behaviour;
    await run(host, 'one');
    await until(() => tracing.counts.uncertain === spansOfRun, 'the loss');
    collector.behaviour = 'accepts';
    await run(host, 'two');
    await until(() => tracing.counts.exported === spansOfRun, 'the spans');
    expect(collector.spans).toHaveLength(spansOfRun);
    expect(collector.twice).toEqual([]);
    expect(errors.join()).toContain(`Nobody knows whether the collector has ${spansOfRun} spans`);
  },
);

test('with at-least-once, spans whose answer is lost are repeated with the same ids', async ({
  skip,
}) => {
  skip(!runsAll);
  const collector = await collecting();
  const { host, tracing } = await exportingTo(collector, { guarantee: 'at-least-once' });
  collector.behaviour = 'never answers';
  await run(host, 'one');
  await until(() => collector.requests > 1, 'attempts');
  collector.behaviour = 'accepts';
  await until(() => tracing.counts.exported === spansOfRun, 'the spans');
  expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(spansOfRun);
});

test('an exporter that throws, or never calls back, does not disturb the host', async () => {
  for (const behave of [
    () => {
      throw new Error('broken');
    },
    () => {},
  ]) {
    const errors: string[] = [];
    const exporter = { export: behave, shutdown: () => Promise.reject(new Error('broken, too')) };
    const { host, tracing } = await traced(
      { echo },
      { ports, exporter, exportTimeoutMs: 50, onError: ({ message }) => errors.push(message) },
    );
    await run(host, 'one');
    await until(() => tracing.counts.uncertain > 0, 'the loss');
    await tracing.stop();
    await run(host, 'two');
    expect(errors.join()).toContain('The exporter could not be shut down.');
  }
});

test('a stop in an outage leaves the spans to the next process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'traces-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const collector = await collecting();
  const position = positionFile(join(folder, 'position.json'));
  const { host, tracing } = await exportingTo(collector, { position });
  collector.behaviour = 'refuses for now';
  await run(host, 'one');
  await until(() => collector.requests > 0, 'an attempt');
  await tracing.stop({ within: 3000 });
  collector.behaviour = 'accepts';
  expect(JSON.parse((await position.load())!)).toMatchObject({ exporting: 0 });
  const again = await traceHost(host, {
    exporter: new OTLPTraceExporter({ url: `${collector.url}/v1/traces` }),
    position,
    batch: { everyMs: 20 },
  });
  onTestFinished(() => again.stop());
  await again.flush();
  expect(collector.spans).toHaveLength(spansOfRun);
  expect(collector.twice).toEqual([]);
});

test('a flush waits for a collector that is slower than the events', async ({ skip }) => {
  skip(!runsAll);
  let exported = 0;
  const exporter: SpanExporter = {
    export: (spans, onResult) =>
      void setTimeout(() => {
        exported += spans.length;
        onResult({ code: 0 });
      }, 1300),
    shutdown: async () => {},
  };
  const { host, tracing } = await traced(
    { echo },
    { ports, exporter, batch: { spans: 4, everyMs: 60_000 } },
  );
  for (let count = 0; count < 3; count += 1) await host.start('echo', { id: `e${count}` });
  await host.settle();
  expect(await tracing.flush()).toBe(true);
  expect(exported).toBe(3 * spansOfRun);
});
