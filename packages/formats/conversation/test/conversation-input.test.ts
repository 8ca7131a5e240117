import { InputError } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { conversationAgent, readConversationInput, refuseInput } from '../src/index.ts';

describe('the input of a conversation', () => {
  test('may be absent', () => {
    expect(readConversationInput(undefined, ['session'])).toEqual({
      fields: {},
      conversation: 'conversation',
      opening: undefined,
      problems: [],
    });
  });

  test('has the fields that every conversation has, and those of its format', () => {
    const input = { conversation: 'c', id: 'i', opening: 'person', session: { name: 'Ada' } };
    expect(readConversationInput(input, ['session'])).toEqual({
      fields: input,
      conversation: 'c',
      opening: 'person',
      problems: [],
    });
  });

  test('has problems that name the field and the known ones', () => {
    const { problems } = readConversationInput({ sesion: {}, opening: 'me', conversation: 7 }, [
      'session',
    ]);
    expect(problems).toEqual([
      '"sesion" is unknown. Did you mean "session"? Known: session, opening, conversation.',
      '"conversation" must be a text',
      '"opening" must be "agent" or "person"',
    ]);
    expect(() => refuseInput(problems)).toThrow(InputError);
  });

  test('must be an object', () => {
    for (const input of ['Ada', ['Ada'], 7])
      expect(readConversationInput(input, []).problems).toEqual(['the input must be an object']);
  });
});

test('a conversation that runs as an agent takes its own fields of the data', () => {
  const { input, ending } = conversationAgent(['session']);
  expect(input({ session: { name: 'Ada' }, order: 7 }, {})).toEqual({ session: { name: 'Ada' } });
  expect(input('text', {})).toEqual({});
  expect(ending({ outcome: 'completed' })).toEqual({ result: { outcome: 'completed' } });
});
