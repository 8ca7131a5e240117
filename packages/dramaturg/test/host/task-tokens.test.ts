import { until, virtualClock } from '@dramaturg/testing';
import { compile, type Ports } from 'dramaturg';
import { expect, test } from 'vitest';
import { places, Stage } from './stage.ts';

/** Heartbeats and tokens of tasks in a host. */

const workflow = (state: object) =>
  compile(JSON.stringify({ StartAt: 'S', States: { S: { ...state, End: true } } }), {
    format: 'asl',
  });

test('an agent of a host sends heartbeats', async () => {
  const clock = virtualClock({ startAt: 0 });
  let accepted = 0;
  const runAgent: Ports['runAgent'] = async (_, { heartbeat, signal, onText }) => {
    for (let at = 8_000; at <= 32_000; at += 8_000) {
      await clock.timer({ key: `work/${at}`, at }, { signal, onText });
      heartbeat!();
      // The heartbeat is a stored step, and time must not pass until it is stored.
      await clock.busy(until(() => Promise.resolve(accepted === at / 8_000), 'the heartbeat'));
    }
    return { result: 'done' };
  };
  const { host } = await Stage.open({
    store: places['memory']!(),
    definitions: { flow: workflow({ Type: 'Task', Agent: 'A', HeartbeatSeconds: 10 }) },
    ports: { runAgent },
    channels: {},
    clock,
  });
  const events = host.events();
  void (async () => {
    for await (const { event } of events) if (event.type === 'task.accepted') accepted += 1;
  })();
  await host.start('flow', { id: 'w' });
  await until(async () => (await host.get('w')).ended, 'the end');
  expect(await host.get('w')).toMatchObject({ state: 'COMPLETED' });
});

test('a token of an item is accepted once, and another one is refused', async () => {
  const waiting = { Type: 'Task', Resource: 'arn:aws:states:::sqs:sendMessage.waitForTaskToken' };
  const tokens: string[] = [];
  const stage = await Stage.open({
    store: places['memory']!(),
    definitions: {
      flow: workflow({
        Type: 'Map',
        ItemProcessor: { StartAt: 'T', States: { T: { ...waiting, End: true } } },
      }),
    },
    ports: { runAgent: ({ token }) => (tokens.push(token!), { result: null }) },
    channels: {},
  });
  const { host } = stage;
  await host.start('flow', { id: 'w', input: { input: [1, 2] } });
  await until(() => Promise.resolve(tokens.length === 2), 'both tokens');
  const send = (type: string, token: string) => host.send('w', { type, token, output: 'signed' });
  for (const type of ['task.succeeded', 'task.failed', 'task.heartbeat']) {
    for (const token of [`${tokens[0]}x`, '7.x', 'x']) {
      expect(await send(type, token)).toMatchObject({
        accepted: false,
        code: 'task/unknown-token',
      });
    }
  }
  expect(await send('task.succeeded', tokens[0]!)).toMatchObject({ accepted: true });
  expect(await send('task.succeeded', tokens[0]!)).toMatchObject({ code: 'task/unknown-token' });
  expect(await send('task.heartbeat', tokens[1]!)).toMatchObject({ accepted: true });
  expect(await send('task.succeeded', tokens[1]!)).toMatchObject({ accepted: true });
  await until(async () => (await host.get('w')).ended, 'the end');
});
