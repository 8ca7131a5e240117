import type { PortOutput } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { edges, loose, planOf, state, task, to } from './build.ts';
import { Conversation } from './conversation.ts';

const intake = planOf(
  state('a', loose(task('greet'), task('ask', 'name')), edges(to('b'))),
  state('b', loose(task('next', 'city'))),
);
const withFarewell = {
  ...intake,
  metadata: { plan_builder: { canvas: { end_node_config: { farewell_message: 'Farewell!' } } } },
};

const calling = (
  text: string,
  ...calls: [name: string, given: Record<string, string>][]
): PortOutput<'reply'> => ({
  text,
  toolCalls: calls.map(([name, given]) => ({ name, arguments: given })),
});

describe('an agent that ends the conversation', () => {
  test('sends its message first, and then completes the conversation with its reason', async () => {
    const conversation = await Conversation.start(withFarewell);
    conversation.replies(calling('That is all.', ['end_conversation', { reason: 'settled' }]));
    await conversation.turn({ deliverables: { name: 'Ada' } });
    expect(conversation.emitted.slice(-2)).toMatchObject([
      { type: 'message.sent', text: 'That is all.' },
      {
        type: 'conversation.ended',
        outcome: 'ended_by_agent',
        state: 'a',
        reason: 'settled',
        deliverables: { name: 'Ada' },
      },
    ]);
    expect(conversation.isOver).toBe(true);
  });

  test.each([
    ['a last state without tasks', [], 'completed'],
    ['no end of its own', [loose(task('ask', 'name')), edges(to('a'))], 'completed'],
    ['an end that was not reached', [loose(task('ask', 'name'))], 'ended_by_agent'],
  ])('a plan with %s has the outcome', async (_, parts, outcome) => {
    const conversation = await Conversation.start(
      planOf(state('a', ...parts)),
      {},
      { opening: 'person' },
    );
    conversation.replies(calling('Bye.', ['end_conversation', {}]));
    await conversation.turn();
    expect(conversation.emitted.at(-1)).toMatchObject({ type: 'conversation.ended', outcome });
  });

  test('may do so with its first message, and without a message', async () => {
    const silent = await Conversation.start(intake, {}, { opening: 'person' });
    silent.replies(calling(' ', ['end_conversation', {}]));
    await silent.turn();
    expect(silent.emitted.map(({ type }) => type)).toEqual(['state.entered', 'conversation.ended']);
    expect(silent.isOver).toBe(true);
  });

  test('can complete tasks in the same reply', async () => {
    const conversation = await Conversation.start(intake);
    conversation.replies(
      calling('Bye.', ['end_conversation', {}], ['complete_task', { task_id: 'greet' }]),
    );
    await conversation.turn();
    expect([conversation.tasks('a'), conversation.isOver]).toEqual([{ greet: 'completed' }, true]);
  });

  test('refuses each message that it does not answer', async () => {
    const conversation = await Conversation.start(intake);
    conversation.replies(calling('Bye.', ['end_conversation', {}]));
    await conversation.together('Hm.', 'And one more thing.');
    expect(conversation.emitted.slice(-2)).toMatchObject([
      { type: 'message.refused', because: 'The conversation is over.' },
      { type: 'conversation.ended' },
    ]);
  });
});

describe('an agent that calls a tool', () => {
  test('asks for help with an event, and the conversation keeps waiting', async () => {
    const conversation = await Conversation.start(intake);
    conversation.replies(
      calling('One moment.', ['request_human_intervention', { reason: 'angry' }]),
    );
    await conversation.turn();
    expect(conversation.emitted.slice(-2)).toMatchObject([
      { type: 'message.sent', text: 'One moment.' },
      { type: 'help.requested', reason: 'angry', state: 'a' },
    ]);
    expect(conversation.isWaiting).toBe(true);
  });

  test('is refused by an event when the tool was not offered, or names no task', async () => {
    const conversation = await Conversation.start(intake);
    conversation.replies(calling('So.', ['launch', {}], ['skip_task', {}]));
    await conversation.turn();
    expect(conversation.news().slice(-2)).toEqual([
      'refused: The tool "launch" is not on offer.',
      'refused: The tool "skip_task" needs a "task_id" that is a text.',
    ]);
    expect(conversation.isWaiting).toBe(true);
  });
});
