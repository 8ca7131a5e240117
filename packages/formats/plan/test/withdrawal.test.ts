import { expect, test } from 'vitest';
import { edges, loose, onKnown, planOf, state, strict, task, to } from './build.ts';
import { Conversation } from './conversation.ts';

/** Values that are taken back. Spec: docs/formats/plan.md#withdrawal */

const intake = planOf(
  state('a', loose(task('one', 'name', 'city'), task('two', 'food')), edges(to('b'))),
  state('b', loose(task('three', 'rest')), edges(onKnown('c', 'phone', 1), to('d', 2))),
  state('c', loose(task('four', 'phone'))),
  state('d', loose(task('five', 'end'))),
);

const forget = (conversation: Conversation, ...keys: string[]) =>
  conversation.turn({ withdrawn: Object.fromEntries(keys.map((key) => [key, true])) });

test.each<[string, (conversation: Conversation) => Promise<unknown>]>([
  ['the person', (conversation) => forget(conversation, 'name')],
  ['an update', (conversation) => conversation.set({ name: null })],
])('a value that %s takes back is gone, and asked for where its task is open', async (_, take) => {
  const conversation = await Conversation.start(intake);
  await conversation.turn({ deliverables: { name: 'Ada' } });
  conversation.news();
  await take(conversation);
  expect(conversation.news()).toEqual(['withdrawn: name']);
  expect(conversation.context.deliverables).toEqual({});
  expect(JSON.stringify(conversation.context)).not.toContain('Ada');
  await conversation.turn();
  expect(conversation.asked.reply.asks[0]!.name).toBe('name');
  expect(conversation.asked.reply.known).toEqual([]);
});

test('tasks stay done, and no condition sees what was taken back', async () => {
  const conversation = await Conversation.start(intake);
  await conversation.turn({ deliverables: { name: 'Ada', city: 'Ulm', phone: '123' } });
  await forget(conversation, 'name', 'phone');
  await conversation.turn({ deliverables: { food: 'soup' } });
  expect(conversation.state).toBe('b');
  await conversation.turn({ deliverables: { rest: 'ok' } });
  expect(conversation.state).toBe('d');
});

test('an insight and a value for later are taken back too', async () => {
  const conversation = await Conversation.start(
    planOf(
      state('g', { type: 'goal', goal: { objective: 'x' }, tasks: [] }, edges(to('h'))),
      state('h', strict(task('one', 'later'))),
    ),
  );
  await conversation.turn({ deliverables: { hobby: 'chess', later: 'soon' } });
  await forget(conversation, 'hobby', 'later');
  expect(conversation.context).toMatchObject({ deliverables: {}, volunteered: {} });
});

test('what is not known is refused, and the person does not hear of it', async () => {
  const conversation = await Conversation.start(intake);
  await conversation.set({ name: null, nothing: null });
  expect(conversation.news().slice(1)).toEqual([
    'refused: There is no value of "name" to withdraw.',
    'refused: There is no value of "nothing" to withdraw.',
  ]);
  expect(conversation.context.refused).toEqual([]);
});

test('null and false in an extraction mean that nothing was said', async () => {
  const conversation = await Conversation.start(intake);
  await conversation.turn({ deliverables: { name: 'Ada' } });
  await conversation.turn({ deliverables: { name: null }, withdrawn: { name: false } });
  expect(conversation.deliverable('name')).toBe('Ada');
});

test('a value that is being checked is not recorded when it is taken back', async () => {
  const conversation = await Conversation.start(
    planOf(state('a', loose(task('one', { key: 'number', validate: 'rule' }, 'name')))),
  );
  let answer: (value: { ok: true }) => void = () => {};
  conversation.rule = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  await conversation.set({ number: '1', name: 'Ada' });
  await conversation.set({ number: null });
  answer({ ok: true });
  await conversation.turn();
  expect(Object.keys(conversation.context.deliverables)).toEqual(['name']);
});
