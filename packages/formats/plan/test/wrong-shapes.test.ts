import type { PortOutput } from '@dramaturg/compiler';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { edges, goal, loose, planOf, state, task, to } from './build.ts';
import { Conversation } from './conversation.ts';

const intake = planOf(
  state('a', loose(task('greet'), task('ask', 'name')), edges(to('b'))),
  state('b', loose(task('next', 'city'))),
);

/** The refusals and failures since the conversation began. */
function complaints({ emitted }: Conversation): string[] {
  return emitted.flatMap((event) => {
    if (event.type === 'turn.failed') return [`${event.code}: ${event.message}`];
    return event.type === 'update.refused' ? [event.because] : [];
  });
}

describe('an extraction of a wrong shape', () => {
  test.each<[unknown, string]>([
    [[], 'expected an object'],
    ['Ada', 'expected an object'],
    [null, 'expected an object'],
    [{ deliverables: ['name'] }, '"deliverables" must be an object, but is a list.'],
    [{ deliverables: 'Ada' }, '"deliverables" must be an object, but is a text.'],
    [{ unconfirmed: {} }, '"unconfirmed" must be a list of texts, but is an object.'],
    [{ completed_tasks: 'greet' }, '"completed_tasks" must be a list of texts, but is a text.'],
    [{ completed_tasks: [1] }, '"completed_tasks" must be a list of texts, but is a list.'],
    [{ skipped_tasks: true }, '"skipped_tasks" must be a list of texts, but is a truth value.'],
    [{ skip_state: 'yes' }, '"skip_state" must be true or false, but is a text.'],
  ])('fails the turn: %j', async (value, sentence) => {
    const conversation = await Conversation.start(intake);
    await conversation.turnWith(value);
    const [complaint = '', ...more] = complaints(conversation);
    expect(more).toEqual([]);
    expect(complaint).toMatch(/^port\/bad-output: The port "extract" gave a wrong answer: /);
    expect(complaint).toContain(sentence);
    expect(conversation.context.deliverables).toEqual({});
    expect(conversation.tasks('a')).toEqual({});
  });

  test('is refused with the names of its unknown fields', async () => {
    const conversation = await Conversation.start(intake);
    await conversation.turnWith({ name: 'Ada', city: null, completed_tasks: ['greet'] });
    expect(complaints(conversation)).toEqual([
      '"name" was not asked for; there are the fields "deliverables", "unconfirmed", "completed_tasks", "skipped_tasks", "skip_state", "reasoning", "goal_achieved", "withdrawn".',
    ]);
    expect(conversation.tasks('a')).toEqual({ greet: 'completed' });
  });

  test('may have null for missing values', async () => {
    const conversation = await Conversation.start(intake);
    await conversation.turnWith({
      deliverables: { name: null },
      completed_tasks: null,
      skip_state: null,
    });
    expect(complaints(conversation)).toEqual([]);
  });

  test('has only its unknown and invalid fields refused', async () => {
    const conversation = await Conversation.start(intake);
    await conversation.turnWith({ goal_achieved: 'yes', deliverables: { name: { first: 'Ada' } } });
    expect(complaints(conversation)).toEqual([
      '"name": an object is not a text.',
      'This state has no goal.',
    ]);
  });

  test('does not achieve a goal with a text', async () => {
    const conversation = await Conversation.start(
      planOf(state('a', goal([{ key: 'name' }]), edges(to('b'))), state('b')),
    );
    await conversation.turnWith({ goal_achieved: 'nearly' });
    expect(conversation.state).toBe('a');
    expect(complaints(conversation)[0]).toContain('"goal_achieved" must be true or false');
  });
});

describe('an update of a wrong shape', () => {
  test.each<[object, string]>([
    [{ deliverables: ['name'] }, '"deliverables" must be an object of values by key.'],
    [{ unconfirmed: 'name' }, '"unconfirmed" must be a list of keys.'],
    [{ complete: 'greet' }, '"complete" must be a list of ids of tasks.'],
    [{ complete: ['greet', 7] }, '"complete" must be a list of ids of tasks.'],
    [{ skip: {} }, '"skip" must be a list of ids of tasks.'],
    [{ skipState: 'yes' }, '"skipState" must be true or false.'],
    [{ reasoning: 7 }, '"reasoning" must be a text.'],
    [
      { completed_tasks: ['greet'] },
      '"completed_tasks" was not asked for; there are the fields "deliverables", "unconfirmed", "complete", "skip", "skipState", "reasoning", "correct", "silent".',
    ],
  ])('is refused: %j', async (fields, sentence) => {
    const conversation = await Conversation.start(intake);
    await conversation.send({ type: 'plan.update', ...fields });
    expect(complaints(conversation)).toEqual([sentence]);
    expect(conversation.tasks('a')).toEqual({});
  });

  test('has its valid parts recorded', async () => {
    const conversation = await Conversation.start(intake);
    await conversation.send({
      type: 'plan.update',
      complete: 'greet',
      deliverables: { name: 'Ada' },
    });
    expect(complaints(conversation)).toEqual(['"complete" must be a list of ids of tasks.']);
    expect(conversation.deliverable('name')).toBe('Ada');
  });
});

test('a reply whose tool calls have a wrong shape fails the turn', async () => {
  for (const toolCalls of ['end_conversation', [{ name: 'skip_task' }], [{ arguments: {} }]]) {
    const conversation = await Conversation.start(intake);
    conversation.replies({ text: 'So.', toolCalls } as unknown as PortOutput<'reply'>);
    await conversation.turn();
    expect(complaints(conversation)[0]).toMatch(/^port\/bad-output: The port "reply" gave a wrong/);
  }
});

test('every part of an extraction that is not read is reported', async () => {
  const field = fc.constantFrom(
    'deliverables',
    'unconfirmed',
    'completed_tasks',
    'skipped_tasks',
    'skip_state',
    'name',
  );
  const wrong = fc.oneof(
    fc.integer(),
    fc.string({ minLength: 1 }),
    fc.array(fc.integer(), { minLength: 1 }),
  );
  await fc.assert(
    fc.asyncProperty(field, wrong, async (name, value) => {
      const conversation = await Conversation.start(intake);
      await conversation.turnWith({ [name]: value });
      expect(complaints(conversation)).toHaveLength(1);
    }),
    { numRuns: 60 },
  );
});
