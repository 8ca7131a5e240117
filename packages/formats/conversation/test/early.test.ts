import { describe, expect, test } from 'vitest';
import { ask, freshConversation, hear, isBare, tellingLines } from '../src/index.ts';

describe('a line that says nothing without its question', () => {
  const lines = [
    ['yes', 'Yes please!', 'no, thanks', 'OK 👍', '7', 'option 2', 'b)', 'the second one', '  '],
    ['Ja, bitte', 'nein', 'Oui, merci', 'Sí, por favor', 'Não!', 'va bene', 'нет', 'はい', '네'],
  ];
  test.each(lines.flat())('%s', (line) => {
    expect(isBare(line)).toBe(true);
  });

  test.each([
    'I live in Oslo',
    'Maria, technical',
    'stop',
    'no more messages',
    'Help!',
    'yes, I am 34',
  ])('but not: %s', (line) => {
    expect(isBare(line)).toBe(false);
  });

  test('an option is one, with its case and marks', () => {
    expect(isBare('Technical.', ['technical', 'billing'])).toBe(true);
    const question = { id: 'topic', options: ['technical'] };
    expect(tellingLines('yes\ntechnical\nI live in Oslo', question)).toBe('I live in Oslo');
  });
});

test('a message is early by itself, also after an early one', () => {
  const question = { id: 'city' };
  const said = (text: string, early?: string) => ({ type: 'message.received', text, early });
  const fresh = { ...freshConversation, conversation: 'a', opening: 'agent' as const };
  const asked = { ...fresh, ...ask({}, question) };
  const first = { ...asked, ...hear(asked, said('I live in Oslo', 'other'), question) };
  expect(first).toMatchObject({ early: true, message: 'I live in Oslo', messages: 1 });
  const second = { ...first, ...hear(first, said('yes'), question) };
  expect(second.early).toBeUndefined();
  expect({ ...second, ...hear(second, said('no', 'other'), question) }.early).toBe(true);
});
