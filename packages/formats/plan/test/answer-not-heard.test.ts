import { check, type JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { plan } from '../src/index.ts';
import { edges, goal, loose, optional, planOf, state, task, to } from './build.ts';
import { Conversation } from './conversation.ts';

const feedback = optional(task('feedback', optional({ key: 'feedback' })));
const first = state('first', loose(task('dish', 'dish')), edges(to('last')));
const planEnding = (...parts: JsonObject[]) => planOf(first, state('last', ...parts));

function found(definition: JsonObject, options = {}): readonly string[] {
  const text = JSON.stringify(definition);
  const { diagnostics } = check(text, { formats: [plan], format: 'plan', options });
  return diagnostics.flatMap(({ code, path }) =>
    code === 'plan/answer-not-heard' ? [path.join('.')] : [],
  );
}

test('an optional question is reported where the conversation ends with it', async () => {
  const definition = planEnding(loose(feedback));
  expect(found(definition)).toEqual(['states.1.tasks.0']);
  const conversation = await Conversation.start(definition);
  await conversation.turn({ deliverables: { dish: 'soup' } });
  expect(conversation.asked.reply.asks.map(({ name }) => name)).toContain('feedback');
  expect(conversation.isOver).toBe(true);
});

test.each<[name: string, definition: JsonObject, options?: JsonObject]>([
  ['a required task is open', planEnding(loose(feedback, task('mail', 'mail')))],
  ['another state follows', planOf(first, state('ask', loose(feedback), edges(to('first'))))],
  ['the agent fulfils it', planEnding(loose(optional(task('bye', { key: 'b', source: 'agent' }))))],
  ['nothing is asked', planEnding(loose(optional(task('bye'))))],
  ['a goal is open', planEnding(goal([], feedback))],
  ['all tasks are awaited', planEnding(loose(feedback)), { completion: 'all' }],
])('it is not reported when %s', (_, definition, options) => {
  expect(found(definition, options)).toEqual([]);
});
