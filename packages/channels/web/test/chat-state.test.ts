import { expect, test } from 'vitest';
import { afterFrame, type ChatState, initialState } from '../page/chat/state/chat-state.ts';

test('a part that takes a reply back removes its draft, and the next attempt is shown anew', () => {
  const part = (text: string, offset: number) => ({ type: 'part', id: 'r', text, offset }) as const;
  const show = (state: ChatState, text: string, offset: number) =>
    afterFrame(state, part(text, offset));
  const half = show(show(initialState, 'It ', 0), 'costs', 3);
  expect(half.draft).toMatchObject({ text: 'It costs' });
  const taken = show(half, '', 0);
  expect(taken.draft).toBeUndefined();
  expect(show(taken, 'Good day.', 0).draft).toMatchObject({ text: 'Good day.' });
});
