import { compile } from 'dramaturg';
import { expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { traced, workflow } from './stage.ts';

const path = join(
  import.meta.dirname,
  '../../formats/plan/test/fixtures/advisory/intake.plan.json',
);
const plan = compile(readFileSync(path, 'utf8'), { fileName: path });
const echo = workflow({
  StartAt: 'Echo',
  States: { Echo: { Type: 'Task', Agent: 'echo', End: true } },
});
const outer = workflow({
  StartAt: 'Call',
  States: { Call: { Type: 'Task', Agent: 'workflow:echo', End: true } },
});

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentOf = (number: number) => `00-${trace}-${String(number).padStart(16, '0')}-01`;

test('the request that starts an instance is a link of its span, and a message one of its turn', async () => {
  const { host, spans } = await traced({ plan });
  const started = { id: 'p', contact: 'ada', channel: 'main', traceparent: parentOf(1) };
  await host.start('plan', started);
  await host.settle();
  await host.receive({ contact: 'ada', text: 'I am Ada.', traceparent: parentOf(2) });
  await host.settle();
  await host.cancel('p');
  const linked = (await spans()).flatMap(({ name, links }) =>
    links.map(({ context }) => [name, context]),
  );
  expect(linked).toEqual([
    ['turn reply', { traceId: trace, spanId: '0000000000000002', traceFlags: 1, isRemote: true }],
    [
      'invoke_agent plan',
      { traceId: trace, spanId: '0000000000000001', traceFlags: 1, isRemote: true },
    ],
  ]);
});

test('messages that wait for a turn are links of the turn that takes them', async () => {
  const { host, spans } = await traced({ plan });
  await host.start('plan', { id: 'p', contact: 'ada', channel: 'main' });
  await host.settle();
  await host.pause('p');
  for (const number of [3, 4])
    await host.receive({
      contact: 'ada',
      text: `Message ${number}.`,
      traceparent: parentOf(number),
    });
  await host.resume('p');
  await host.settle();
  const [turn] = (await spans()).filter(({ links }) => links.length > 0);
  expect(turn!.name).toBe('turn reply');
  expect(turn!.links.map(({ context }) => context.spanId.at(-1))).toEqual(['3', '4']);
});

test('a traceparent of a wrong form is refused, and stores nothing', async () => {
  const { host } = await traced({ plan });
  for (const traceparent of [
    '',
    'x',
    `00-${'0'.repeat(32)}-0000000000000001-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `ff-${trace}-0000000000000001-01`,
    `00-${trace.toUpperCase()}-0000000000000001-01`,
    `00-${trace}-0000000000000001-01-more`,
    `01-${trace}-0000000000000001-01-${'x'.repeat(1000)}`,
    `${parentOf(1)}\n`,
    [parentOf(1)] as unknown as string,
  ]) {
    await expect(host.start('plan', { id: 'p', traceparent })).rejects.toThrow('W3C Trace Context');
    await expect(host.receive({ contact: 'ada', text: 'Hi.', traceparent })).rejects.toThrow(
      'W3C Trace Context',
    );
  }
  expect((await host.list({}, { limit: 10 })).items).toEqual([]);
});

test('a port knows the span of its call, in a child and ahead of the exported spans', async () => {
  const seen: (string | undefined)[] = [];
  const stage = await traced(
    { echo, outer },
    {
      ports: {
        runAgent: async ({ key }, { instance }) => {
          seen.push(await stage.tracing.traceparentOf({ instance: instance!, key }));
          return { result: 'fine' };
        },
      },
    },
  );
  const { host, spans, tracing } = stage;
  await host.start('outer', { id: 'o' });
  await host.settle();
  const [call] = (await spans()).filter(({ name }) => name === 'invoke_agent echo');
  const { traceId, spanId } = call!.spanContext();
  expect(seen).toEqual([`00-${traceId}-${spanId}-01`]);
  expect(await tracing.traceparentOf({ instance: 'o', key: 'unknown' })).toBeUndefined();
  expect(await tracing.traceparentOf({ instance: 'nobody', key: 'k' })).toBeUndefined();
});
