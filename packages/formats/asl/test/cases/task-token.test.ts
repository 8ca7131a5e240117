import type { JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { type Agent, only, run, task } from '../run.ts';

/** The token of a task, for its agent and for events from outside. */

const beating: Agent = async (_, { works, heartbeat }) => {
  for (let round = 0; round < 4; round += 1) {
    await works!(8);
    heartbeat!();
  }
  return 'done';
};

const silent: Agent = async (_, { works }) => (await works!(32), 'done');

const withBeats = (...parts: JsonObject[]) => only(task({ HeartbeatSeconds: 10 }, ...parts));

test.for([{}, { Guardrails: { Output: { Rules: [{ Type: 'length', Max: 99 }] } } }])(
  'an agent that sends heartbeats may take its time: %j',
  async (blocks) => {
    const { output, events, seconds } = await run(withBeats(blocks), { agents: { A: beating } });
    expect(output).toMatchObject({ status: 'succeeded', output: 'done' });
    expect(seconds).toBe(32);
    expect(events.filter(({ type }) => type === 'task.accepted')).toHaveLength(4);
  },
);

test('an agent that is silent times out', async () => {
  const { output, seconds } = await run(withBeats(), { agents: { A: silent } });
  expect(output).toMatchObject({ error: 'States.Timeout' });
  expect(seconds).toBe(10);
});

test('agents of items send heartbeats for their own tasks', async () => {
  const workflow = only({
    Type: 'Map',
    ItemsPath: '$',
    MaxConcurrency: 2,
    Iterator: { StartAt: 'T', States: { T: task({ HeartbeatSeconds: 10, End: true }) } },
  });
  const agents = { A: ((input, call) => (input === 1 ? silent : beating)(input, call)) as Agent };
  const { output, events } = await run(workflow, { input: [0, 1], agents });
  expect(output).toMatchObject({ error: 'States.Timeout' });
  expect(events.filter(({ type }) => type === 'task.accepted')).toMatchObject([{ place: [0] }]);
});

test('the token of a task that its call answers is only for its agent', async () => {
  const seen: unknown[] = [];
  const workflow = withBeats({ Parameters: { 'task.$': '$$.State.Name' } });
  const { calls, actor } = await run(workflow, {
    agents: { A: (_, { token }) => (seen.push(token), 'done') },
  });
  expect(calls).toMatchObject([{ token: expect.stringMatching(/^[\da-f-]{36}$/) as string }]);
  expect(seen).toEqual([calls[0]!.token]);
  expect(actor.getSnapshot().status).toBe('done');
});

test('a task accepts an event with its token once, and no other', async () => {
  const state = { Type: 'Task', Resource: 'arn:aws:states:::sqs:sendMessage.waitForTaskToken' };
  const { output, events } = await run(only(state), {
    ports: { runAgent: () => ({ result: null }) },
    worker: (actor, { token }) => {
      actor.send({ type: 'task.succeeded', token: `${token}x`, output: 'forged' });
      actor.send({ type: 'task.succeeded', token, output: 'true' });
      actor.send({ type: 'task.succeeded', token, output: 'again' });
    },
  });
  expect(output).toMatchObject({ output: 'true' });
  expect(events.filter(({ type }) => type === 'task.accepted')).toEqual([
    expect.objectContaining({ state: 'S', event: 'task.succeeded' }),
  ]);
});
