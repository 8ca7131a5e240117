import { InputError } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import type { GraphInput } from '../src/index.ts';
import { action, exit, graphOf } from './build.ts';
import { Conversation } from './conversation.ts';

const graph = graphOf(action('a', ['Greet'], [exit('b')]), action('b', ['Part']));

test('invalid input of a context graph is refused, and the error lists every unknown or invalid field', () => {
  const input = { returnin: true, returning: 'yes', opening: 'me' };
  let refused: unknown;
  try {
    Conversation.start(graph, {}, input as unknown as GraphInput);
  } catch (error) {
    refused = error;
  }
  expect(refused).toBeInstanceOf(InputError);
  expect((refused as InputError).problems).toEqual([
    '"returnin" is unknown. Did you mean "returning"? Known: returning, opening, conversation.',
    '"opening" must be "agent" or "person"',
    '"returning" must be true or false',
  ]);
});

test('one reply answers the first message when the person opens the conversation', async () => {
  const conversation = Conversation.start(graph);
  await conversation.say('Good evening!', ['select', 'A1']);
  expect(conversation.count('engage')).toBe(1);
});
