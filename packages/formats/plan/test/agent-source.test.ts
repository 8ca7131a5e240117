import { check, type JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { plan } from '../src/index.ts';
import { edges, loose, onKnown, planOf, state, strict, task, to } from './build.ts';
import { Conversation } from './conversation.ts';

/** What the agent fulfils by what it says. Spec: docs/formats/plan.md#deliverables */

const given = { key: 'introduction_given', type: 'boolean', source: 'agent' };
const intro = (kind: typeof strict) =>
  planOf(
    state('intro', kind(task('introduce', given), task('name', 'name')), edges(to('next'))),
    state('next', loose(task('rest', 'rest'))),
  );

test('the agent fulfils it by speaking, in order, and nobody is asked', async () => {
  const conversation = await Conversation.start(intro(strict));
  expect(conversation.asked.reply).toMatchObject({ asks: [], directions: [{ text: 'introduce' }] });
  expect(conversation.deliverable('introduction_given')).toBe(true);
  expect(conversation.tasks('intro')).toEqual({ introduce: 'completed' });
  await conversation.turn();
  expect(conversation.asked.extract.schema).not.toHaveProperty([
    'properties',
    'deliverables',
    'properties',
    'introduction_given',
  ]);
  expect(conversation.asked.reply.asks.map(({ name }) => name)).toEqual(['name']);
  await conversation.turn({ deliverables: { name: 'Ada' } });
  expect(conversation.state).toBe('next');
});

test('in a loose state it is said with the first question', async () => {
  const conversation = await Conversation.start(intro(loose));
  expect(conversation.asked.reply).toMatchObject({
    asks: [{ name: 'name' }],
    directions: [{ text: 'introduce' }],
  });
  await conversation.turn({ deliverables: { name: 'Ada' } });
  expect(conversation.state).toBe('next');
});

test('what the person says to it answers no question, because the next one was not asked yet', async () => {
  const accepts = { key: 'accepts', type: 'boolean', confirm: true };
  const conversation = await Conversation.start(
    planOf(state('terms', strict(task('tell', given), task('accept', accepts)))),
  );
  await conversation.turn({ deliverables: { accepts: true } }, 'yes');
  expect(conversation.asked.extract.asked).toBeUndefined();
  expect(conversation.deliverable('accepts')).toBeUndefined();
  expect(conversation.asked.reply.asks[0]).toMatchObject({ name: 'accepts', unconfirmed: true });
  await conversation.turn({ deliverables: { accepts: true } }, 'yes');
  expect(conversation.asked.extract.asked?.path).toEqual(['deliverables', 'accepts']);
  expect(conversation.deliverable('accepts')).toBe(true);
});

test('a task that is told later is not done by an answer to the one before', async () => {
  const tell = (id: string) => ({ ...task(id), instruction: `Tell ${id}` });
  const conversation = await Conversation.start(
    planOf(state('a', strict(tell('one'), tell('two'), task('name', 'name')))),
    {},
    { opening: 'person' },
  );
  const done = { name: 'complete_task', arguments: { task_id: 'one' } };
  conversation.replies({ text: 'One.', toolCalls: [done] });
  await conversation.turn();
  await conversation.turn();
  expect(conversation.asked.extract.asked).toBeUndefined();
  expect(conversation.tasks('a')).toEqual({ one: 'completed' });
  expect(conversation.asked.reply.directions).toMatchObject([{ text: 'Tell two' }]);
});

test('a text is what was said, and an empty reply fulfils nothing', async () => {
  const conversation = await Conversation.start(
    planOf(
      state(
        'tip',
        strict(task('advise', { key: 'tip', source: 'agent' }), task('more', 'more')),
        edges(onKnown('next', 'more')),
      ),
      state('next', loose(task('rest', 'rest'))),
    ),
    {},
    { opening: 'person' },
  );
  conversation.replies({ text: ' ' });
  await conversation.turn();
  expect(conversation.deliverable('tip')).toBeUndefined();
  conversation.replies({ text: 'Drink water.' });
  await conversation.turn();
  expect(conversation.deliverable('tip')).toBe('Drink water.');
});

test('check knows the pattern', () => {
  const found = (deliverable: JsonObject) =>
    check(JSON.stringify(planOf(state('a', loose(task('one', deliverable))))), {
      formats: [plan],
      format: 'plan',
    }).diagnostics.flatMap(({ code }) => (code === 'plan/agent-may-fulfil' ? [code] : []));
  expect(found({ key: 'introduction_delivered', type: 'boolean' })).toHaveLength(1);
  const description = 'Whether the introduction has been given';
  expect(found({ key: 'intro', type: 'boolean', description })).toHaveLength(1);
  expect(found(given)).toEqual([]);
  expect(found({ key: 'parcel_received', type: 'boolean' })).toEqual([]);
});
