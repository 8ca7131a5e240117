import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PortError } from '@dramaturg/compiler';
import { until } from '@dramaturg/testing';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { compile, type Compiled, sqliteStore } from 'dramaturg';
import { expect, onTestFinished, test } from 'vitest';
import { runsAll } from '../../../.config/scaled.ts';
import { positionFile, type Redact } from '../src/index.ts';
import { type Staging, traced, treeOf, workflow } from './stage.ts';

const formats = join(import.meta.dirname, '../../formats');

function fixture(path: string): Compiled {
  return compile(readFileSync(join(formats, path), 'utf8'), { fileName: path });
}

const plan = fixture('plan/test/fixtures/advisory/intake.plan.json');

const echo = workflow({
  StartAt: 'Echo',
  States: { Echo: { Type: 'Task', Agent: 'echo', End: true } },
});

/** What holds for all spans: an id for each, a trace for each outermost instance, and every parent exists. */
function expectWhole(spans: readonly ReadableSpan[], traces: number): void {
  const ids = spans.map((span) => span.spanContext().spanId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(traces);
  const orphans = spans.filter(
    ({ parentSpanContext: parent }) => parent && !ids.includes(parent.spanId),
  );
  expect(orphans.map(({ name }) => name)).toEqual([]);
}

function named(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  const found = spans.filter((span) => span.name === name);
  expect(found.map((span) => span.name)).toEqual([name]);
  return found[0]!;
}

test('a conversation has a span for each turn, call, transition and delivery', async () => {
  const { host, spans } = await traced({ plan });
  await host.start('plan', { id: 'p', contact: 'ada', channel: 'main' });
  await host.settle();
  await host.receive({ contact: 'ada', text: 'I am Ada.', id: 'm1' });
  await host.settle();
  await host.cancel('p');
  const all = await spans();
  expectWhole(all, 1);
  expect(treeOf(all)).toEqual([
    'instance: invoke_agent plan',
    '  turn: turn first',
    '    call: chat',
    '    delivery: delivery',
    '    transition: transition customer-intake',
    '  turn: turn reply',
    '    call: chat',
    '    call: chat',
    '    delivery: delivery',
  ]);
  expect(named(all, 'transition customer-intake').attributes).toMatchObject({
    'dramaturg.instance': 'p',
    'dramaturg.definition': 'plan',
    'dramaturg.state': 'customer-intake',
    'dramaturg.definition.path': 'states.0',
    'code.line.number': 6,
    'code.column.number': 5,
  });
  expect(named(all, 'invoke_agent plan').attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'plan',
    'gen_ai.conversation.id': 'p',
  });
});

test('a call of a model has the attributes of the conventions', async () => {
  const usage = {
    model: 'gpt-x',
    requests: 2,
    inputTokens: 100,
    outputTokens: 20,
    cachedInputTokens: 60,
    reasoningTokens: 5,
    cost: 0.25,
  };
  const ports = { reply: () => ({ text: 'Your name?', toolCalls: [], usage }) };
  const { host, spans } = await traced({ plan }, { ports, provider: 'openai' });
  await host.start('plan', { id: 'p', contact: 'ada', channel: 'main' });
  await host.settle();
  const call = named(await spans(), 'chat gpt-x');
  expect(call.kind).toBe(SpanKind.CLIENT);
  expect(call.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.response.model': 'gpt-x',
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 20,
    'gen_ai.usage.cache_read.input_tokens': 60,
    'gen_ai.usage.reasoning.output_tokens': 5,
    'dramaturg.cost': 0.25,
    'dramaturg.requests': 2,
    'dramaturg.call.key': 'p/0/reply',
    'dramaturg.call.outcome': 'answered',
    'code.line.number': 6,
  });
  expect(call.instrumentationScope).toMatchObject({
    name: '@dramaturg/opentelemetry',
    schemaUrl: 'https://opentelemetry.io/schemas/1.41.0',
  });
});

test('children, also of items, are in the trace of their parent, under the call that they answer', async () => {
  const list = workflow({
    StartAt: 'Each',
    States: {
      Each: {
        Type: 'Map',
        ItemsPath: '$.list',
        ItemProcessor: {
          StartAt: 'Work',
          States: { Work: { Type: 'Task', Agent: 'workflow:echo', End: true } },
        },
        End: true,
      },
    },
  });
  const ports = { runAgent: () => ({ result: 'fine' }) };
  const { host, spans } = await traced({ list, echo }, { ports });
  await host.start('list', { id: 'l', input: { input: { list: [1, 2] } } });
  await host.settle();
  const all = await spans();
  expectWhole(all, 1);
  const child = [
    '        child: invoke_agent workflow:echo',
    '          instance: invoke_workflow echo',
    '            turn: turn first',
    '              transition: transition Echo',
    '                call: invoke_agent echo',
  ];
  expect(treeOf(all)).toEqual([
    'instance: invoke_workflow list',
    '  turn: turn first',
    '    transition: transition Each',
    '      transition: transition Work',
    ...child,
    '      transition: transition Work',
    ...child,
  ]);
});

test('a decision of a person is a span from the question to the answer', async () => {
  const definition = workflow({
    StartAt: 'Ask',
    States: {
      Ask: {
        Type: 'Approval',
        Prompt: 'Publish it?',
        Options: ['approve', 'reject'],
        Choices: [{ Variable: '$.decision', StringEquals: 'approve', Next: 'Done' }],
        Default: 'Done',
      },
      Done: { Type: 'Succeed' },
    },
  });
  const { host, spans } = await traced({ ask: definition });
  await host.start('ask', { id: 'a' });
  await host.settle();
  expect(await spans()).toEqual([]);
  const [open] = (await host.decisions({ instance: 'a' })).items;
  await host.decide(open!.decision, { decision: 'approve', by: 'ana' });
  await host.settle();
  const all = await spans();
  expectWhole(all, 1);
  const decision = named(all, 'decision');
  expect(decision.attributes).toMatchObject({
    'dramaturg.span.type': 'decision',
    'dramaturg.decision.id': open!.id,
    'dramaturg.decision.option': 'approve',
    'dramaturg.state': 'Ask',
  });
  expect(
    JSON.stringify(all.map(({ attributes, events }) => ({ attributes, events }))),
  ).not.toContain('ana');
});

test('a failed call has its code, and its message only if content is exported', async () => {
  for (const content of [false, true]) {
    const ports = {
      runAgent: () => {
        throw new PortError('port/failed', 'runAgent', 'Ada is unknown.');
      },
    };
    const { host, spans } = await traced({ echo }, { ports, content });
    await host.start('echo', { id: 'e' });
    await host.settle();
    const all = await spans();
    const call = named(all, 'invoke_agent echo');
    expect(call.status.code).toBe(SpanStatusCode.ERROR);
    expect(call.attributes['error.type']).toBe('port/failed');
    expect(call.status.message).toBe(content ? 'Ada is unknown.' : undefined);
    expect(named(all, 'invoke_workflow echo').status.code).toBe(SpanStatusCode.ERROR);
    // With content, the message is in the status.
    expect(JSON.stringify(all.map(({ attributes }) => attributes))).not.toContain('Ada');
  }
});

test('a call of a conversation that is made again is one span with its retries', async () => {
  let failures = 1;
  const ports = {
    reply: () => {
      failures -= 1;
      if (failures >= 0) throw new Error('overloaded');
      return { text: 'Your name?', toolCalls: [] };
    },
  };
  const { host, spans } = await traced({ plan }, { ports });
  await host.start('plan', { id: 'p', contact: 'ada', channel: 'main' });
  await until(
    async () =>
      (await host.journal('p', { from: 0, limit: 99 })).some((line) =>
        JSON.stringify(line).includes('turn.attempt.failed'),
      ),
    'the failure',
  );
  await host.receive({ contact: 'ada', text: 'Hello?' });
  await until(async () => (await host.get('p')).state === 'WAITING_FOR_REPLY', 'the answer');
  const [call] = (await spans()).filter(
    ({ attributes }) => attributes['dramaturg.call.key'] === 'p/0/reply',
  );
  expect(call!.attributes['dramaturg.call.retries']).toBe(1);
  expect(call!.events.map(({ name }) => name)).toEqual(['retry']);
  expect(call!.attributes['dramaturg.call.outcome']).toBe('answered');
});

test('a fork has the spans of what it does itself, and not those of its original', async () => {
  const two = workflow({
    StartAt: 'One',
    States: {
      One: { Type: 'Task', Agent: 'one', Next: 'Two' },
      Two: { Type: 'Task', Agent: 'two', End: true },
    },
  });
  const { host, spans } = await traced({ two }, { ports: { runAgent: () => ({ result: {} }) } });
  await host.start('two', { id: 'o' });
  await host.settle();
  // The times of the original have to be before that of the fork.
  const settledAt = Date.now();
  await until(() => Date.now() > settledAt, 'the next millisecond');
  await host.fork('o', { step: 2, id: 'f' });
  await host.settle();
  const all = await spans();
  expectWhole(all, 2);
  const ofFork = all.filter(({ attributes }) => attributes['dramaturg.instance'] === 'f');
  expect(treeOf(ofFork)).toEqual([
    'instance: invoke_workflow two',
    '  turn: turn first',
    '    transition: transition Two',
    '      call: invoke_agent two',
  ]);
  expect(named(ofFork, 'invoke_workflow two').attributes['dramaturg.forked.from']).toBe('o');
});

test.each([
  'context-graph/test/fixtures/check-in/check-in.context-graph.json',
  'npc/test/fixtures/bare-state/one.npc.json',
])('a conversation of another format is traced: %s', async (path) => {
  const { host, spans } = await traced({ it: fixture(path) });
  await host.start('it', { id: 'i', contact: 'ada', channel: 'main' });
  await host.settle();
  await host.receive({ contact: 'ada', text: 'Hello, I am ready.' });
  await host.settle();
  if (!(await host.get('i')).ended) await host.cancel('i');
  await host.settle();
  const all = await spans();
  expectWhole(all, 1);
  const types = new Set(all.map(({ attributes }) => String(attributes['dramaturg.span.type'])));
  expect([...types].toSorted((one, other) => one.localeCompare(other))).toEqual([
    'call',
    'delivery',
    'instance',
    'transition',
    'turn',
  ]);
});

test('an instance of a lifecycle has a span for each of its states', async () => {
  const parcel = compile(
    JSON.stringify({
      states: { OPEN: 'initial', DONE: 'terminal' },
      transitions: { OPEN: { finish: 'DONE' } },
    }),
    { fileName: 'parcel.lifecycle.json' },
  );
  const { host, spans } = await traced({ parcel });
  await host.start('parcel', { id: 'p' });
  await host.send('p', { type: 'finish' });
  const all = await spans();
  expectWhole(all, 1);
  expect(treeOf(all)).toEqual([
    'instance: lifecycle parcel',
    '  transition: transition DONE',
    '  transition: transition OPEN',
  ]);
  expect(named(all, 'transition DONE').attributes).toMatchObject({
    'dramaturg.state.from': 'OPEN',
    'dramaturg.state.kind': 'terminal',
  });
});

test('content leaves the process only if it is wanted, and redacted', async () => {
  const run = async (options: Staging) => {
    const { host, spans } = await traced({ plan }, options);
    await host.start('plan', { id: 'p', contact: 'ada', channel: 'main' });
    await host.settle();
    await host.receive({ contact: 'ada', text: 'I am Grace Hopper.', id: 'm1' });
    await host.settle();
    await host.cancel('p', 'Grace is gone');
    return JSON.stringify(
      (await spans()).map(({ name, attributes, events, status }) => ({
        name,
        attributes,
        events,
        status,
      })),
    );
  };
  expect(await run({})).not.toContain('Grace');
  const asked: string[] = [];
  const redact: Redact = (attribute, value, { instance }) => {
    asked.push(`${instance} ${attribute}`);
    return attribute === 'dramaturg.event' ? undefined : value.replaceAll('Grace', 'G.');
  };
  const redacted = await run({ content: true, redact });
  expect(redacted).not.toContain('Grace');
  expect(redacted).toContain('I am G. Hopper.');
  expect(redacted).not.toContain('dramaturg.event');
  expect(asked).toContain('p gen_ai.input.messages');
  expect(await run({ content: true })).toContain('I am Grace Hopper.');
  const broken = await run({
    content: true,
    redact: () => {
      throw new Error('a mistake');
    },
  });
  expect(broken).not.toContain('Grace');
});

test('an instance goes on in another process with the same spans, in the middle of a turn', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'traces-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const position = positionFile(join(folder, 'position.json'));
  const store = () => sqliteStore(join(folder, 'store.db'));
  const asked: string[] = [];
  const first = await traced(
    { plan },
    {
      store: store(),
      position,
      ports: {
        extract: ({ key }) => {
          asked.push(key);
          return new Promise(() => {});
        },
      },
    },
  );
  await first.host.start('plan', { id: 'p', contact: 'ada', channel: 'main' });
  await first.host.settle();
  await first.host.receive({ contact: 'ada', text: 'I am Ada.', id: 'm1' });
  await until(() => asked.length === 1, 'the call');
  const before = await first.spans();
  await first.tracing.stop();
  await first.host.stop({ within: 0 });

  const second = await traced({ plan }, { store: store(), position });
  await until(async () => (await second.host.get('p')).state === 'WAITING_FOR_REPLY', 'the reply');
  await second.host.settle();
  await second.host.cancel('p');
  const after = await second.spans();
  const all = [...before, ...after];
  expectWhole(all, 1);
  expect(treeOf(all)).toEqual([
    'instance: invoke_agent plan',
    '  turn: turn first',
    '    call: chat',
    '    delivery: delivery',
    '    transition: transition customer-intake',
    '  turn: turn reply',
    '    call: chat',
    '    call: chat',
    '    delivery: delivery',
  ]);
  const interrupted = after.find(({ attributes }) => attributes['dramaturg.call.key'] === asked[0]);
  expect(interrupted!.attributes['dramaturg.call.outcome']).toBe('answered');
  expect(interrupted!.attributes['code.line.number']).toBe(6);
});

test('the failed attempts of a delivery are events of its span', async ({ skip }) => {
  skip(!runsAll);
  for (const content of [false, true]) {
    let failures = 2;
    const channel = () => {
      failures -= 1;
      if (failures >= 0) throw new Error('The line to Ada is busy.');
    };
    const { host, spans } = await traced({ plan }, { channel, content });
    await host.start('plan', { id: 'p', contact: 'ada', channel: 'main' });
    await host.settle();
    const delivery = named(await spans(), 'delivery');
    expect(delivery.attributes['dramaturg.delivery.attempts']).toBe(3);
    expect(delivery.status.code).toBe(SpanStatusCode.UNSET);
    const failed = content ? { 'error.message': 'The line to Ada is busy.' } : {};
    expect(delivery.events.map(({ name, attributes }) => ({ name, attributes }))).toEqual([
      { name: 'attempt.failed', attributes: failed },
      { name: 'attempt.failed', attributes: failed },
    ]);
  }
});
