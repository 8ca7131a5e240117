import { describe, expect, test } from 'vitest';
import { edges, loose, onKnown, planOf, state, task, to } from './build.ts';
import { Conversation } from './conversation.ts';

/** A reply that ends its tasks and asks nothing is followed by the question of the next state. Spec: docs/formats/plan.md#turn */

const welcome = (next: string, id = 'welcome') =>
  state(id, loose(task(`do_${id}`)), edges(to(next)));
const done = (id: string) => [{ name: 'complete_task', arguments: { task_id: `do_${id}` } }];

const said = ({ emitted }: Conversation) =>
  emitted.flatMap((event) => (event.type === 'message.sent' ? event.text : []));

describe('a reply that completes its state', () => {
  const definition = planOf(
    welcome('intake'),
    state('intake', loose(task('name', 'name')), edges(onKnown('bye', 'name'))),
    state('bye', loose(task('goodbye'))),
  );
  const start = () => Conversation.start(definition, {}, { opening: 'person' });

  test('is followed by the next question, if it asks nothing', async () => {
    const conversation = await start();
    const greeting = 'Welcome to https://example.com/?a=b';
    conversation.replies({ text: greeting, toolCalls: done('welcome') }, { text: 'Your name?' });
    await conversation.turn();
    expect(said(conversation)).toEqual([greeting, 'Your name?']);
    expect(conversation.asked.reply.asks.map(({ name }) => name)).toEqual(['name']);
    expect(conversation.isWaiting).toBe(true);
  });

  test.for(['Welcome! Who are you?', 'Welcome! Ready?!'])('is the last line: %s', async (text) => {
    const conversation = await start();
    conversation.replies({ text, toolCalls: done('welcome') });
    await conversation.turn();
    expect([conversation.state, conversation.isWaiting]).toEqual(['intake', true]);
    expect(said(conversation)).toEqual([text]);
  });

  test('of a ring of states that only speak is followed by each of them once', async () => {
    const conversation = await Conversation.start(
      planOf(welcome('b', 'a'), welcome('c', 'b'), welcome('a', 'c')),
      {},
      { opening: 'person' },
    );
    conversation.replies(
      ...['a', 'b', 'c', 'a', 'b', 'c', 'a'].map((id) => ({ text: id, toolCalls: done(id) })),
    );
    await conversation.turn();
    expect(said(conversation)).toEqual(['a', 'b', 'c']);
    expect(conversation.isWaiting).toBe(true);
  });
});
