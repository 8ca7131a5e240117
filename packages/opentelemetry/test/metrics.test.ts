import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { expect, onTestFinished, test } from 'vitest';
import { Collector } from '@dramaturg/test-servers';
import { traced, workflow } from './stage.ts';

const asking = workflow({
  StartAt: 'Work',
  States: {
    Work: { Type: 'Task', Agent: 'work', Next: 'Ask' },
    Ask: { Type: 'Approval', Prompt: 'Publish it?', Options: ['approve', 'reject'], Next: 'Done' },
    Done: { Type: 'Succeed' },
  },
});
const usage = { model: 'gpt-x', requests: 1, inputTokens: 100, outputTokens: 20, cost: 0.5 };
const ports = { runAgent: () => ({ result: 'fine', usage }) };

test('turns, durations, tokens, cost and what waits for people are measured', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const { host, tracing } = await traced({ asking }, { ports, meterProvider });
  for (const id of ['one', 'two']) await host.start('asking', { id });
  await host.settle();
  const [open] = (await host.decisions()).items;
  await host.decide(open!.decision, { decision: 'approve', by: 'ana' });
  await host.settle();
  await tracing.flush();
  await reader.forceFlush();
  const metrics = Object.fromEntries(
    exporter
      .getMetrics()
      .at(-1)!
      .scopeMetrics.flatMap(({ metrics: all }) => all)
      .map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints]),
  );
  const sums = (name: string) => metrics[name]!.map(({ value }) => Object(value).sum ?? value);
  expect(sums('gen_ai.client.token.usage')).toEqual([200, 40]);
  expect(metrics['gen_ai.client.token.usage']![0]!.attributes).toEqual({
    'dramaturg.definition': 'asking',
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': '_OTHER',
    'gen_ai.response.model': 'gpt-x',
    'gen_ai.token.type': 'input',
  });
  expect(sums('dramaturg.cost')).toEqual([1]);
  expect(sums('dramaturg.turns')).toEqual([1]);
  expect(metrics['dramaturg.turn.duration']).toHaveLength(1);
  expect(metrics['gen_ai.client.operation.duration']![0]!.value).toMatchObject({ count: 2 });
  expect(metrics['dramaturg.decision.duration']![0]!.value).toMatchObject({ count: 1 });
  expect(sums('dramaturg.decisions.open')).toEqual([1]);
  expect(sums('dramaturg.queue.length')).toEqual([0]);
  expect(sums('dramaturg.interventions.open')).toEqual([0]);
  expect(JSON.stringify(metrics)).not.toContain('ana');
  await meterProvider.shutdown();
});

test('metrics reach a collector by OTLP, without any exporter of spans', async () => {
  const collector = await Collector.start();
  onTestFinished(() => collector.stop());
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${collector.url}/v1/metrics` }),
    exportIntervalMillis: 60_000,
  });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const { host, tracing } = await traced(
    { asking },
    { ports, meterProvider, exporter: undefined as never },
  );
  await host.start('asking', { id: 'one' });
  await host.settle();
  await tracing.flush();
  await reader.forceFlush();
  expect([...collector.metrics]).toContain('gen_ai.client.token.usage');
  expect([...collector.metrics]).toContain('dramaturg.decisions.open');
  await meterProvider.shutdown();
});
