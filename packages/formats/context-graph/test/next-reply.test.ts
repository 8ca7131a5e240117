import type { PortInput } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { action, exit, graphOf } from './build.ts';
import { Conversation } from './conversation.ts';

const graph = graphOf(
  action('talk', ['Greet', 'Listen'], [exit('end')], {
    action_guidelines: ['Be brief'],
    boundary_constraints: ['No diagnosis'],
  }),
  action('end', ['Say goodbye']),
);

test('what a choice says of the next reply is what the reply has, for each action', async () => {
  for (const picked of ['A1', 'A2']) {
    const conversation = Conversation.start(graph);
    await conversation.say('Hello', ['select', picked]);
    const { reply, prompt } = conversation.asked('select') as unknown as PortInput<'choose'>;
    const engaged = conversation.asked('engage') as unknown as PortInput<'reply'>;
    const { directions } = reply!.cases.find(({ id }) => id === picked)!;
    expect(directions).toEqual(engaged.directions);
    const known = [...prompt, ...reply!.prompt];
    for (const part of engaged.prompt) expect(known).toContainEqual(part);
    for (const part of reply!.prompt) expect(engaged.prompt).toContainEqual(part);
  }
});

test('exits have no message, and neither has a state whose message may use tools', async () => {
  const conversation = Conversation.start(graph);
  await conversation.say('Hello', ['select', 'A1']);
  const { reply } = conversation.asked('select') as unknown as PortInput<'choose'>;
  expect(reply?.cases.map(({ id }) => id)).toEqual(['A1', 'A2']);
  const tool = { tool_id: '000000000000000000000001', result_persistence: 'persisted' };
  const withTools = graphOf(
    action('talk', ['Greet', 'Listen'], [exit('end')], { action_tool_call_specs: [tool] }),
    action('end', ['Say goodbye']),
  );
  const other = Conversation.start(withTools);
  await other.say('Hello', ['select', 'A1']);
  expect(other.asked('select')['reply']).toBeUndefined();
});
