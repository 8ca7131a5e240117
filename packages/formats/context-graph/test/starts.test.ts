import { check, type JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { contextGraph } from '../src/index.ts';
import { action, exit, graphOf } from './build.ts';
import { Conversation } from './conversation.ts';

/** What is started at the end of a graph. Spec: docs/formats/context-graph.md#start */

const starting = (on_end: unknown) =>
  ({
    ...graphOf(action('a', ['Greet'], [exit('b')]), action('b', ['Part'])),
    on_end,
  }) as JsonObject;
const report = { start: 'workflow:report', input: { why: '{{reason}}', at: '{{state}}' } };

test('a definition is started when the conversation has ended', async () => {
  const conversation = Conversation.start(starting(report));
  const ending = { name: 'end_conversation', arguments: { reason: 'settled' } };
  await conversation.say(
    'Hm.',
    ['select', 'A1'],
    ['engage', { text: 'That is all.', toolCalls: [ending] }],
  );
  expect(conversation.emitted.at(-2)).toEqual({
    type: 'start.requested',
    key: 'conversation/start',
    start: 'workflow:report',
    input: { why: 'settled', at: 'a' },
  });
});

test.each<[string, unknown, string]>([
  ['without a name', {}, 'context-graph/empty-start on_end'],
  ['with a blank name', { start: ' ' }, 'context-graph/empty-start on_end'],
  [
    'with an unknown value',
    { start: 'x', input: { a: '{{name}}' } },
    'context-graph/unknown-start-value on_end.input.a',
  ],
  ['that is a text', 'workflow:report', 'shape/wrong-type on_end'],
  ['with a number for a name', { start: 1 }, 'shape/wrong-type on_end.start'],
])('a start %s is reported', (_, onEnd, finding) => {
  const { diagnostics } = check(JSON.stringify(starting(onEnd)), {
    formats: [contextGraph],
    format: 'context-graph',
  });
  expect(diagnostics.map(({ code, path }) => `${code} ${path?.join('.')}`)).toContain(finding);
});
