import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { freePort, sharedRestate, whyNoRestate } from '@dramaturg/test-servers';
import { until } from '@dramaturg/testing';
import { compile, createHost, type Host, memoryStore, understudyPorts } from 'dramaturg';
import { restateHost } from 'dramaturg/restate';
import { describe, expect, onTestFinished, test } from 'vitest';
import { positionFile, traceHost, type TracedHost, type TraceOptions } from '../src/index.ts';
import { treeOf, workflow } from './stage.ts';

const missing = whyNoRestate();
let places = 0;

const child = workflow({
  StartAt: 'Echo',
  States: { Echo: { Type: 'Task', Agent: 'echo', End: true } },
});
const order = workflow({
  StartAt: 'Call',
  States: {
    Call: { Type: 'Task', Agent: 'workflow:child', Next: 'Ask' },
    Ask: {
      Type: 'Approval',
      Prompt: 'Publish it?',
      Options: ['yes', 'no'],
      Choices: [{ Variable: '$.decision', StringEquals: 'yes', Next: 'Done' }],
      Default: 'Done',
    },
    Done: { Type: 'Task', Agent: 'echo', End: true },
  },
});
const path = join(
  import.meta.dirname,
  '../../formats/plan/test/fixtures/advisory/intake.plan.json',
);
const plan = compile(readFileSync(path, 'utf8'), { fileName: path });

const options = {
  definitions: { child, order, plan },
  ports: { ...understudyPorts(), runAgent: () => ({ result: 'fine' }) },
  channels: { main: { deliver: () => {} } },
  onError: () => {},
};

/** Opens hosts of one namespace, one after another or together. */
async function placeOf(): Promise<() => Promise<Host>> {
  const { ingress, admin } = await sharedRestate();
  places += 1;
  const namespace = `traces-${process.pid}-${places}`;
  const handlers = { port: await freePort() };
  return async () => restateHost({ ...options, ingress, admin, namespace, handlers });
}

async function follow(
  host: TracedHost,
  exporter: InMemorySpanExporter,
  more: Pick<TraceOptions, 'position'> = {},
) {
  const tracing = await traceHost(host, {
    // The spans of several processes are kept in one exporter.
    exporter: {
      export: (spans, onResult) => exporter.export(spans, onResult),
      shutdown: async () => {},
    },
    batch: { everyMs: 20 },
    ...more,
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(() => tracing.stop({ within: 200 }));
  return tracing;
}

const rootsOf = (exporter: InMemorySpanExporter) =>
  exporter.getFinishedSpans().filter(({ parentSpanContext }) => parentSpanContext === undefined);

/** The workflow with its child, and the conversation. */
const spansOfBoth = 12 + 9;

/** Starts a workflow that ends with the answer of a person. */
async function ask(host: Host, id: string): Promise<void> {
  await host.start('order', { id });
  await until(
    async () => (await host.decisions({ instance: id })).items.length > 0,
    'the question',
  );
}

async function answer(host: Host, id: string): Promise<void> {
  const [open] = (await host.decisions({ instance: id })).items;
  await host.decide(open!.decision, { decision: 'yes' });
  await until(async () => (await host.get(id)).ended, 'the end');
}

async function converse(host: Host): Promise<void> {
  await host.start('plan', { id: 'p', contact: 'ada', channel: 'main' });
  await host.settle();
  await host.receive({ contact: 'ada', text: 'I am Ada.', id: 'm1' });
  await host.settle();
  await host.cancel('p');
}

const idsOf = (spans: readonly ReadableSpan[]) =>
  spans.map((span) => span.spanContext().spanId).toSorted((one, other) => one.localeCompare(other));

describe.skipIf(missing !== undefined)(`traces on Restate${missing ? ` (${missing})` : ''}`, () => {
  test('a workflow with a child and a decision, and a conversation, have the spans that they have on one machine', async () => {
    const trees = [];
    const local = await createHost({ ...options, store: memoryStore() });
    const onRestate = await (await placeOf())();
    for (const host of [local, onRestate]) {
      onTestFinished(() => host.stop({ within: 0 }));
      const exporter = new InMemorySpanExporter();
      await follow(host, exporter);
      await ask(host, 'o');
      await answer(host, 'o');
      await converse(host);
      // A message may be delivered after the end of its instance, so the roots need not be the last spans.
      await until(
        () => rootsOf(exporter).length === 2 && exporter.getFinishedSpans().length >= spansOfBoth,
        'the whole traces',
      );
      const spans = exporter.getFinishedSpans();
      expect(new Set(idsOf(spans)).size).toBe(spans.length);
      expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(2);
      trees.push(treeOf(spans));
    }
    expect(trees[1]).toEqual(trees[0]);
    expect(trees[1]).toHaveLength(spansOfBoth);
  });

  test('an instance goes on in another process with the same spans, none twice', async () => {
    const open = await placeOf();
    const exporter = new InMemorySpanExporter();
    const first = await open();
    const tracing = await follow(first, exporter);
    await ask(first, 'o');
    // The child, with its turn, its transition, its call, and the call and the transition of the parent.
    await until(() => exporter.getFinishedSpans().length === 6, 'the spans of the first process');
    await tracing.stop();
    await first.stop({ within: 0 });

    const second = await open();
    onTestFinished(() => second.stop({ within: 0 }));
    await follow(second, exporter);
    await answer(second, 'o');
    await until(() => rootsOf(exporter).length === 1, 'the whole trace');
    const spans = exporter.getFinishedSpans();
    expect(new Set(idsOf(spans)).size).toBe(spans.length);
    expect(treeOf(spans)).toHaveLength(12);
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  test('what ends while no process traces is traced by the next one, which goes on after the stored position', async () => {
    const open = await placeOf();
    const exporter = new InMemorySpanExporter();
    const first = await open();
    const tracing = await follow(first, exporter, { position: first.readerPosition('traces') });
    await ask(first, 'o');
    await until(() => exporter.getFinishedSpans().length === 6, 'the spans of the first process');
    await tracing.stop();
    await answer(first, 'o');
    await first.start('child', { id: 'c' });
    await until(async () => (await first.get('c')).ended, 'the end of another instance');
    await first.stop({ within: 0 });

    const second = await open();
    onTestFinished(() => second.stop({ within: 0 }));
    const goingOn = await follow(second, exporter, { position: second.readerPosition('traces') });
    await until(() => exporter.getFinishedSpans().length >= 12 + 4, 'both traces');
    await goingOn.flush();
    const spans = exporter.getFinishedSpans();
    expect(new Set(idsOf(spans)).size).toBe(spans.length);
    expect(treeOf(spans)).toHaveLength(12 + 4);
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(2);
  });

  test('a position in a file and the beginning are refused, because the instances have no common order', async () => {
    const host = await (await placeOf())();
    onTestFinished(() => host.stop({ within: 0 }));
    const because =
      'The events of this host have no common order, so only the host can keep a position of them';
    for (const more of [{ fromBeginning: true }, { position: positionFile('/nonexistent/it') }])
      await expect(traceHost(host, more)).rejects.toThrow(because);
  });
});
