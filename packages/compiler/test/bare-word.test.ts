import { expect, test } from 'vitest';
import { bareWord } from '../src/entries/text.ts';

test.each([
  ['  STOP!  ', 'stop'],
  ['"Stop"', 'stop'],
  ['»Stopp«.', 'stopp'],
  ['„Stopp“', 'stopp'],
  ['¡Ayuda!', 'ayuda'],
  ['help 🙏🏽', 'help'],
  ['a  person,\nplease', 'a person please'],
  ['/help', '/help'],
  ['opt-out', 'opt-out'],
  ['👍', ''],
])('%j is the word %j', (text, word) => expect(bareWord(text)).toBe(word));
