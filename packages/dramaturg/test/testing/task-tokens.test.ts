import { compile } from 'dramaturg';
import { play } from 'dramaturg/testing';
import { expect, test } from 'vitest';

/** Tasks that wait for their tokens, completed by the steps of a test. */

const waiting = (more: object) => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::sqs:sendMessage.waitForTaskToken',
  Parameters: { QueueUrl: 'https://queue', MessageBody: { 'token.$': '$$.Task.Token' } },
  ...more,
});

const caught = (...names: readonly string[]) => ({
  Catch: names.map((name) => ({ ErrorEquals: [name], Next: name.replace(/^.*\./, '') })),
});

function workflow(definition: object) {
  const compiled = compile(JSON.stringify(definition), { format: 'asl' });
  expect(compiled.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return compiled;
}

const end = { Type: 'Pass', End: true };

const approval = workflow({
  StartAt: 'Approve',
  States: {
    Approve: waiting({ HeartbeatSeconds: 60, End: true, ...caught('Denied', 'States.Timeout') }),
    Denied: end,
    Timeout: end,
  },
});

test('a task completes with what the step gives it', async () => {
  await expect(
    play(approval, [
      { state: 'Approve' },
      { task: { completes: { approved: true } }, outcome: 'succeeded', output: { approved: true } },
    ]),
  ).resolves.toBeUndefined();
  await expect(
    play(approval, [
      { task: { state: 'Approve', completes: null }, outcome: 'succeeded', output: null },
    ]),
  ).resolves.toBeUndefined();
});

test('a task fails with the name and the cause of the step', async () => {
  await expect(
    play(approval, [{ task: { fails: 'Denied' }, state: 'Denied' }]),
  ).resolves.toBeUndefined();
  const output = { Error: 'Denied', Cause: 'too dear' };
  await expect(
    play(approval, [{ task: { fails: { error: 'Denied', cause: 'too dear' } }, output }]),
  ).resolves.toBeUndefined();
  await expect(
    play(approval, [{ task: { fails: 'Other' }, outcome: 'failed', error: 'Other' }]),
  ).resolves.toBeUndefined();
});

test('a task goes on while heartbeats come, and times out without them', async () => {
  const heartbeat = { heartbeat: true } as const;
  await expect(
    play(approval, [
      { later: '59 s' },
      { task: heartbeat, emitted: { type: 'task.accepted', event: 'task.heartbeat' } },
      { later: '59 s', state: 'Approve' },
      { task: heartbeat, state: 'Approve' },
      { later: '60 s', state: 'Timeout', outcome: 'succeeded' },
    ]),
  ).resolves.toBeUndefined();
});

test('items and branches get their tokens back in any order', async () => {
  const map = workflow({
    StartAt: 'Each',
    States: {
      Each: {
        Type: 'Map',
        ItemsPath: '$',
        ItemProcessor: { StartAt: 'Sign', States: { Sign: waiting({ End: true }) } },
        End: true,
      },
    },
  });
  const input = { input: [1, 2] };
  await expect(
    play(
      map,
      [
        { task: { state: 'Sign', item: 1, completes: 'b' } },
        { task: { completes: 'a' }, outcome: 'succeeded', output: ['a', 'b'] },
      ],
      { input },
    ),
  ).resolves.toBeUndefined();
  const both = workflow({
    StartAt: 'Both',
    States: {
      Both: {
        Type: 'Parallel',
        Branches: ['Left', 'Right'].map((name) => ({
          StartAt: name,
          States: { [name]: waiting({ End: true }) },
        })),
        End: true,
      },
    },
  });
  await expect(
    play(both, [
      { task: { state: 'Right', completes: 2 } },
      { task: { state: 'Left', completes: 1 }, output: [1, 2] },
    ]),
  ).resolves.toBeUndefined();
  const played = (task: object) => play(map, [{ task, state: 'Sign' }], { input });
  await expect(played({ completes: 1 })).rejects.toThrow(
    '2 items wait in "Sign". Say which one is meant with "item"',
  );
  await expect(played({ item: 7, completes: 1 })).rejects.toThrow(
    'The token of item 7 of "Sign" is not waited for now. Waiting: items 0, 1.',
  );
  await expect(play(both, [{ task: { completes: 1 }, state: 'Both' }])).rejects.toThrow(
    '2 tasks wait for their tokens: "Left" and "Right". Say which one is meant with "state".',
  );
});

test('a workflow that runs as an agent gets its token back', async () => {
  const call = { Type: 'Task', Agent: 'workflow:inner', End: true };
  const outer = compile(JSON.stringify({ StartAt: 'Call', States: { Call: call } }), {
    format: 'asl',
    options: { dialect: 'agent' },
  });
  const options = { others: { inner: approval } };
  const inner = { state: 'Approve', completes: 'yes' };
  await expect(
    play(outer, [{ task: inner, outcome: 'succeeded' }], options),
  ).resolves.toBeUndefined();
  await expect(
    play(outer, [{ task: inner, child: 'inner', outcome: 'succeeded' }], options),
  ).resolves.toBeUndefined();
});

test('a step about a task that does not wait says what does', async () => {
  await expect(
    play(approval, [{ task: { state: 'Aprove', completes: 1 }, state: 'Approve' }]),
  ).rejects.toThrow('The token of "Aprove" is not waited for now. Waiting: "Approve".');
  const over = [{ task: { completes: 1 } }, { task: { completes: 2 }, output: 2 }];
  await expect(play(approval, over)).rejects.toThrow(
    'The token of a task is not waited for now. Look at the state in the step before.',
  );
  await expect(play(approval, [{ outcome: 'succeeded' }])).rejects.toThrow(
    'it waits for the token. Give the token back before this step',
  );
});
