import type { WorkflowEvent } from '@dramaturg/asl';
import { expect, test } from 'vitest';
import type { Stub } from '../src/layouts/amazon-states/case-file.ts';
import { exactly } from '../src/layouts/amazon-states/compare.ts';
import { Stubs } from '../src/layouts/amazon-states/workflow.ts';

const task = (Resource: string) => ({ Type: 'Task', Resource });

const definition = {
  StartAt: 'First',
  States: {
    First: task('invoke'),
    Both: {
      Type: 'Parallel',
      Branches: [
        { States: { Left: task('invoke') } },
        { States: { Each: { Type: 'Map', ItemProcessor: { States: { Right: task('invoke') } } } } },
      ],
    },
    Handed: task('send.waitForTaskToken'),
    Done: task('arn:aws:states:us-east-1:1:activity:done'),
  },
};

/** The replies of tasks that are called in order, and the events that the workflow received. */
function stubsOf(...stubs: Stub[]) {
  const sent: WorkflowEvent[] = [];
  const all = new Stubs(stubs, definition, exactly, (event) => sent.push(event));
  const enter = (state: string) =>
    all.listen({ type: 'state.entered', state, kind: 'Task', input: {} });
  const exit = (state: string) => all.listen({ type: 'state.exited', state, output: {} });
  const ask = (agent: string, input = {}) => all.runAgent({ key: 'a/1', agent, input });
  const schedule = (state: string, resource: string, token: string) =>
    all.listen({ type: 'task.scheduled', state, resource, token, input: {} });
  return { all, sent, enter, exit, ask, schedule };
}

test('each state has its own replies, in recorded order', () => {
  const { all, ask, enter, exit } = stubsOf(
    { state: 'Right', output: 'right' },
    { state: 'First', output: 1 },
    { state: 'First', output: 2 },
    { state: '*', output: 'any' },
  );
  enter('First');
  expect([ask('invoke'), ask('invoke')]).toEqual([{ result: 1 }, { result: 2 }]);
  expect(ask('invoke')).toEqual({ result: 'any' });
  exit('First');
  enter('Right');
  expect(ask('invoke')).toEqual({ result: 'right' });
  expect([all.unused, all.difference]).toEqual([[], undefined]);
});

test('if several states call a resource at once, the call belongs to the state with the same recorded input', () => {
  const { all, ask, enter } = stubsOf(
    { state: 'Left', input: { side: 'left' }, output: 'L' },
    { state: 'Right', input: { side: 'right' }, output: 'R' },
  );
  enter('Left');
  enter('Right');
  expect(ask('invoke', { side: 'right' })).toEqual({ result: 'R' });
  expect(ask('invoke', { side: 'left' })).toEqual({ result: 'L' });
  expect(all.difference).toBeUndefined();
});

test('a task with another input than the recorded one is a difference, and is still answered', () => {
  const { all, ask } = stubsOf({ state: 'First', input: { a: 1 }, output: 'so' });
  expect(ask('invoke', { a: 2 })).toEqual({ result: 'so' });
  expect(all.difference).toEqual({ expected: 'First asks.a: 1', actual: 'First asks.a: 2' });
});

test('a failed attempt fails with its name and cause, and a timed-out attempt never answers', async () => {
  const { ask } = stubsOf(
    { state: 'First', outcome: 'TaskFailed', error: 'Bad', cause: 'So it is.' },
    { state: 'First', outcome: 'LambdaFunctionTimedOut', error: 'States.Timeout' },
  );
  expect(() => ask('invoke')).toThrow(
    expect.objectContaining({ message: 'So it is.', error: 'Bad', cause: 'So it is.' }),
  );
  const answer = Promise.resolve(ask('invoke')).then(() => 'answered');
  const later = new Promise((resolve) => setTimeout(() => resolve('silent'), 10));
  expect(await Promise.race([answer, later])).toBe('silent');
});

test('an extra attempt fails, and is only a remark if the state has no recorded attempt', () => {
  const counted = stubsOf({ state: 'First', output: 1 });
  counted.enter('First');
  expect(counted.ask('invoke')).toEqual({ result: 1 });
  expect(() => counted.ask('invoke')).toThrow('There is nobody of this name.');
  expect(counted.all.difference).toEqual({
    expected: 'no further task',
    actual: 'First asks invoke',
  });
  const empty = stubsOf();
  empty.enter('First');
  expect(() => empty.ask('invoke')).toThrow('There is nobody of this name.');
  expect(empty.all.difference).toMatchObject({ isRemark: true });
});

test('a task with a token is answered first, and completes when both sides are ready', () => {
  for (const order of ['token first', 'answer first']) {
    const { sent, ask, schedule } = stubsOf(
      { state: 'Handed', submitted: 'sent', output: { so: 1 } },
      { state: 'Handed', submitted: 'sent', outcome: 'TaskFailed', error: 'Bad', cause: 'So.' },
      { state: 'Handed', submitted: 'sent', outcome: 'TaskFailed', error: 'States.TaskFailed' },
      { state: 'Handed', submitted: 'sent', outcome: 'TaskTimedOut' },
      { state: 'Handed', submitted: null, output: null },
    );
    for (const token of ['1', '2', '3', '4', '5']) {
      const steps = [
        () => schedule('Handed', 'send.waitForTaskToken', token),
        () =>
          expect(ask('send.waitForTaskToken')).toEqual({ result: token === '5' ? null : 'sent' }),
      ];
      for (const step of order === 'token first' ? steps : steps.toReversed()) step();
    }
    expect(sent).toEqual([
      { type: 'task.succeeded', token: '1', output: { so: 1 } },
      { type: 'task.failed', token: '2', error: 'Bad', cause: 'So.' },
      { type: 'task.failed', token: '3' },
      { type: 'task.succeeded', token: '5', output: null },
    ]);
  }
});

test('a task whose token could not be sent fails at once', () => {
  const { ask, sent } = stubsOf({ state: 'Handed', outcome: 'TaskFailed', error: 'Sqs.Bad' });
  expect(() => ask('send.waitForTaskToken')).toThrow(expect.objectContaining({ error: 'Sqs.Bad' }));
  expect(sent).toEqual([]);
});

test('an activity needs only its token to complete', () => {
  const { sent, schedule } = stubsOf({ state: 'Done', output: 'so' });
  schedule('Done', 'arn:aws:states:us-east-1:1:activity:done', '1');
  expect(sent).toEqual([{ type: 'task.succeeded', token: '1', output: 'so' }]);
});
