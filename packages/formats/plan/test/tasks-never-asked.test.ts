import { check, type JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { plan } from '../src/index.ts';
import {
  edges,
  loose,
  onKnown,
  onValue,
  optional,
  planOf,
  state,
  strict,
  task,
  to,
} from './build.ts';
import { Conversation } from './conversation.ts';

const end = state('end', loose(task('rest', 'later')));
const planWith = (...parts: JsonObject[]) => planOf(state('ask', ...parts), end);

function found(definition: JsonObject): readonly string[] {
  const { diagnostics } = check(JSON.stringify(definition), { formats: [plan], format: 'plan' });
  return diagnostics.flatMap(({ code, message }) =>
    code === 'plan/task-never-asked' ? [/task "(\w+)"/.exec(message)![1]!] : [],
  );
}

const first = task('first', 'one');
const second = task('second', 'two');
const third = task('third', 'three');
const done = to('end', 2);

test('a task is reported behind one whose value leads on', () => {
  const leaving = edges(onKnown('end', 'one', 1), done);
  expect(found(planWith(strict(first, second), leaving))).toEqual(['second']);
  expect(
    found(planWith(strict(first, second, third), edges(onKnown('end', 'two', 1), done))),
  ).toEqual(['third']);
});

test.each<[name: string, definition: JsonObject]>([
  [
    'the state asks for all tasks together',
    planWith(loose(first, second), edges(onKnown('end', 'one', 1), done)),
  ],
  [
    'it waits for the last task',
    planWith(strict(first, second), edges(onKnown('end', 'two', 1), done)),
  ],
  ['it waits for all tasks', planWith(strict(first, second), edges(done))],
  [
    'only one value leads on',
    planWith(strict(first, second), edges(onValue('end', 'one', 'x', 1), done)),
  ],
  [
    'the first task may be skipped',
    planWith(strict(optional(first), second), edges(onKnown('end', 'one', 1), done)),
  ],
  [
    'it leads back to the same state',
    planWith(strict(first, second), edges(onKnown('ask', 'one', 1), done)),
  ],
])('no task is reported when %s', (_, definition) => {
  expect(found(definition)).toEqual([]);
});

test('nobody is asked for it: the value leads on, and without the value the first task stays', async () => {
  const definition = planWith(strict(first, second), edges(onKnown('end', 'one', 1), done));
  const skipped = await Conversation.start(definition);
  await skipped.skip('first');
  await skipped.complete('first');
  expect(skipped.state).toBe('ask');
  // It is neither skipped nor completed.
  expect(skipped.tasks('ask')).toEqual({});
  await skipped.set({ one: 'a value' });
  expect(skipped.state).toBe('end');
});
