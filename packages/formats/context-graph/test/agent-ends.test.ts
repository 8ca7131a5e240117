import { expect, test } from 'vitest';
import { action, exit, graphOf } from './build.ts';
import { Conversation } from './conversation.ts';

const graph = graphOf(action('a', ['Greet'], [exit('b')]), action('b', ['Part']));
const withTool = graphOf(
  action('a', ['Greet'], [exit('b')], {
    action_tool_call_specs: [{ tool_id: 'log', result_persistence: 'ephemeral' }],
  }),
  action('b', ['Part']),
);
const ending = { name: 'end_conversation', arguments: { reason: 'settled' } };
const last = [
  { type: 'message.sent', text: 'That is all.', state: 'a' },
  { type: 'conversation.ended', outcome: 'ended_by_agent', state: 'a', reason: 'settled' },
];

test('an agent that ends the conversation sends its message first', async () => {
  const conversation = Conversation.start(graph);
  await conversation.say(
    'Hm.',
    ['select', 'A1'],
    ['engage', { text: 'That is all.', toolCalls: [ending] }],
  );
  expect(conversation.emitted.slice(-2)).toMatchObject(last);
  expect(conversation.isOver).toBe(true);
});

test('a tool of the state runs before the agent ends the conversation', async () => {
  const conversation = Conversation.start(withTool);
  await conversation.say(
    'Hm.',
    ['select', 'A1'],
    ['engage', { text: '', toolCalls: [{ name: 'log', arguments: {} }, ending] }],
    ['engage', { text: 'That is all.' }],
  );
  expect(conversation.emitted.map(({ type }) => type)).toContain('tool.called');
  expect(conversation.emitted.slice(-2)).toMatchObject(last);
});

test('an agent asks for help with an event, and a tool that was not offered is refused', async () => {
  const conversation = Conversation.start(graph);
  const calls = [
    { name: 'request_human_intervention', arguments: { reason: 'angry' } },
    { name: 'launch', arguments: {} },
  ];
  await conversation.say(
    'Hm.',
    ['select', 'A1'],
    ['engage', { text: 'One moment.', toolCalls: calls }],
  );
  expect(conversation.emitted.slice(-2)).toEqual([
    { type: 'help.requested', reason: 'angry', state: 'a' },
    {
      type: 'update.refused',
      what: 'launch',
      because: 'The tool "launch" is not on offer.',
      state: 'a',
    },
  ]);
  expect(conversation.isOver).toBe(false);
});
