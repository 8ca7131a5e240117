import { check, type Json, type JsonObject } from '@dramaturg/compiler';
import { withinWork } from '@dramaturg/compiler/machine';
import { describe, expect, test } from 'vitest';
import { plan } from '../src/index.ts';
import { edges, loose, onKnown, onValue, planOf, state, task, to, when } from './build.ts';
import { Conversation } from './conversation.ts';

/** What values must be. Spec: docs/formats/plan.md#limits-of-values */

const asking = (deliverable: JsonObject) =>
  planOf(
    state('ask', loose(task('one', { key: 'it', ...deliverable })), edges(to('next'))),
    state('next', loose(task('two', 'other'))),
  );

const says = (conversation: Conversation, it: unknown) =>
  conversation.turn({ deliverables: { it } as JsonObject });

describe('a value', () => {
  test.each<[JsonObject, unknown, string]>([
    [{ type: 'number', minimum: 1, maximum: 10 }, 50, '50 is more than 10'],
    [{ type: 'number', minimum: 1, maximum: 10 }, '0', '0 is less than 1'],
    [{ pattern: '^\\d{5}$' }, '1234', '"1234" does not have the right form'],
    [{ min_length: 3 }, 'ab', '"ab" has fewer than 3 characters'],
    [{ max_length: 1 }, '😀😀', '"😀😀" has more than 1 character'],
    [{ min_length: 2 }, '😀', '"😀" has fewer than 2 characters'],
    [{ type: 'list', items: { min_length: 2 } }, ['ab', '😀'], '"😀" has fewer than 2 characters'],
    [{ format: 'date' }, '2026-02-30', '"2026-02-30" is not a date such as 2026-03-15'],
    [{ format: 'time' }, '25:00', '"25:00" is not a time such as 17:30'],
    [{ format: 'date-time' }, '2026-02-03', 'is not a date and time such as 2026-03-15T17:30'],
    [{ format: 'email' }, 'ada at example', '"ada at example" is not an email address'],
    [{ format: 'phone' }, 'none', '"none" is not a phone number'],
    [{ format: 'url' }, 'example', 'is not a web address such as https://example.com'],
    [{ type: 'list', max_length: 1 }, ['a', 'b'], 'the list has more than 1 entry'],
    [{ type: 'list', items: { type: 'number', maximum: 3 } }, [1, 4], '4 is more than 3'],
    [{ type: 'list', items: { type: 'enum', enum_values: ['a'] } }, ['b'], '"b" is none of "a"'],
  ])('that is not %j is refused with a reason: %j', async (limits, value, because) => {
    const conversation = await Conversation.start(asking(limits));
    await says(conversation, value);
    expect(conversation.deliverable('it')).toBeUndefined();
    expect(conversation.state).toBe('ask');
    expect(conversation.news().join()).toContain(because);
    const { asks, prompt } = conversation.asked.reply;
    expect(asks[0]!.name).toBe('it');
    expect(prompt.find(({ title }) => title === 'Not recorded')!.text).toContain(because);
  });

  test.each<[JsonObject, (text: string) => unknown]>([
    [{}, (text) => text],
    [{ type: 'list' }, (text) => [text]],
  ])(
    'whose check takes more work than a step may do is refused with this reason and a code: %j',
    async (type, valueOf) => {
      const pattern = '[ab]*a[ab]{400}!';
      const limits = 'type' in type ? { ...type, items: { type: 'string', pattern } } : { pattern };
      const refusal = 'That is no form.';
      const conversation = await Conversation.start(asking({ ...limits, refusal }));
      const it = valueOf('a'.repeat(15_000)) as Json;
      await withinWork(100_000, () => conversation.set({ it }));
      expect(conversation.emitted).toContainEqual({
        type: 'update.refused',
        code: 'value/not-checked',
        what: 'it',
        because: expect.stringContaining('could not be checked'),
        state: 'ask',
      });
      await conversation.turn({});
      const { prompt } = conversation.asked.reply;
      expect(JSON.stringify(prompt)).toContain('could not be checked');
      expect(JSON.stringify(prompt)).not.toContain(refusal);
    },
  );

  test.each<[JsonObject, unknown, unknown]>([
    [{ type: 'number', minimum: 1, maximum: 10 }, 10, 10],
    [{ pattern: '\\d' }, 'a1', 'a1'],
    [{ format: 'date' }, '2028-02-29', '2028-02-29'],
    [{ format: 'time' }, '09:30:15Z', '09:30:15Z'],
    [{ format: 'date-time' }, '2026-02-03T09:30+01:00', '2026-02-03T09:30+01:00'],
    [{ format: 'email' }, 'ada@example.co.uk', 'ada@example.co.uk'],
    [{ format: 'phone' }, '(020) 7946-0000', '(020) 7946-0000'],
    [{ format: 'url' }, 'https://example.com/a?b', 'https://example.com/a?b'],
    [{ min_length: 2, max_length: 2 }, '😀😀', '😀😀'],
    [{ type: 'list' }, 'a', ['a']],
    [{ type: 'list', items: { max_length: 1 } }, ['😀'], ['😀']],
    [{ type: 'list', items: { type: 'number' } }, ['1', 2], [1, 2]],
  ])('that is %j is recorded: %j', async (limits, value, stored) => {
    const conversation = await Conversation.start(asking(limits));
    await says(conversation, value);
    expect(conversation.deliverable('it')).toEqual(stored);
    expect(conversation.state).toBe('next');
  });

  test('that is a text has at most 20,000 characters, each counted once', async () => {
    const conversation = await Conversation.start(asking({}));
    await says(conversation, '😀'.repeat(20_001));
    expect(conversation.deliverable('it')).toBeUndefined();
    expect(conversation.news().join()).toContain('the text is longer than 20000 characters');
    await says(conversation, '😀'.repeat(20_000));
    expect(conversation.deliverable('it')).toBe('😀'.repeat(20_000));
  });

  test('is refused in whichever way it comes, and never decides', async () => {
    const rated = { key: 'stars', type: 'number', maximum: 10 };
    const definition = planOf(
      state(
        'ask',
        loose(task('one', 'name')),
        edges(onValue('bye', 'stars', 50, 1), to('rate', 2)),
      ),
      state('rate', loose(task('two', rated)), edges(to('bye'))),
      state('bye', loose(task('three', 'rest'))),
    );
    for (const set of [
      (each: Conversation) => each.set({ stars: 50 }),
      (each: Conversation) => each.turn({ deliverables: { stars: 50 } }),
    ]) {
      const conversation = await Conversation.start(definition);
      await set(conversation);
      expect([conversation.state, conversation.context.volunteered]).toEqual(['ask', undefined]);
      await conversation.turn({ deliverables: { name: 'Ada' } });
      expect(conversation.state).toBe('rate');
      await set(conversation);
      expect(conversation.deliverable('stars')).toBeUndefined();
    }
  });

  test('is refused in the words of the author', async () => {
    const refusal = 'Please give us one to ten stars.';
    const conversation = await Conversation.start(
      asking({ type: 'number', minimum: 1, maximum: 10, refusal }),
    );
    await says(conversation, 50);
    const { prompt } = conversation.asked.reply;
    expect(prompt.at(-1)).toEqual({ title: 'Say this first, in these words', text: refusal });
    expect(prompt.map(({ title }) => title)).not.toContain('Not recorded');
    await says(conversation, 5);
    expect(conversation.asked.reply.prompt.map(({ title }) => title).join()).not.toContain('Say');
  });

  test('has its limits in the question and, in words, in the extraction', async () => {
    const conversation = await Conversation.start(
      asking({ type: 'number', minimum: 1, maximum: 10 }),
    );
    expect(conversation.asked.reply.asks[0]!.schema).toMatchObject({ minimum: 1, maximum: 10 });
    await conversation.turn();
    expect(conversation.asked.extract.schema).toMatchObject({
      properties: {
        deliverables: {
          properties: {
            it: {
              type: 'number',
              description:
                'It must be a number from 1 to 10; an answer that is not is copied as it is.',
              'x-limits': { minimum: 1, maximum: 10 },
            },
          },
        },
      },
    });
  });
});

describe('a list', () => {
  const order = planOf(
    state('order', loose(task('what', { key: 'dishes', type: 'list' })), edges(to('more'))),
    state(
      'more',
      loose(task('ask', { key: 'another', type: 'boolean' })),
      edges(onValue('order', 'another', true, 1), onValue('end', 'another', false, 2)),
    ),
    state('end', loose(task('rest', 'rest')), edges(onValue('order', 'dishes', 'soup'))),
  );

  test('gets more entries when it is asked for again: another one?', async () => {
    const conversation = await Conversation.start(order);
    for (const [dish, another] of [
      ['soup', true],
      ['soup', true],
      [['salad', 'bread'], false],
    ] as const) {
      await conversation.turn({ deliverables: { dishes: dish } as JsonObject });
      await conversation.turn({ deliverables: { another } });
    }
    expect(conversation.deliverable('dishes')).toEqual(['soup', 'salad', 'bread']);
  });

  test('is replaced by a correction, and compared by its entries', async () => {
    const conversation = await Conversation.start(order);
    await conversation.turn({ deliverables: { dishes: ['salad', 'cake'] } });
    await conversation.turn({ deliverables: { dishes: ['salad', 'soup'], another: false } });
    expect(conversation.deliverable('dishes')).toEqual(['salad', 'soup']);
    expect(conversation.state).toBe('order');
  });
});

describe('check', () => {
  test('examples are checked until their patterns have done too much work', () => {
    const examples = Array.from({ length: 300 }, () => 'a'.repeat(1_000));
    const slow = { pattern: '[ab]*a[ab]{400}!', examples };
    const { diagnostics } = check(JSON.stringify(asking(slow)), { formats: [plan] });
    const unfit = diagnostics.filter(({ code }) => code === 'plan/example-does-not-fit');
    expect(unfit.length).toBeGreaterThan(0);
    expect(unfit.length).toBeLessThan(50);
  });

  const found = (deliverable: JsonObject, ...parts: JsonObject[]) =>
    check(
      JSON.stringify(
        planOf(
          state(
            'ask',
            { tasks: [task('one', { key: 'it', description: 'It', ...deliverable })] },
            ...parts,
          ),
        ),
      ),
      { formats: [plan], format: 'plan' },
    ).diagnostics.flatMap(({ code, message, severity }) =>
      severity === 'info' ? [] : [`${code}: ${message}`],
    );

  test.each<[JsonObject, string]>([
    [{ pattern: '[' }, 'plan/bad-pattern: The pattern "[" cannot be used: '],
    [{ pattern: '(?=a)' }, 'Lookarounds such as (?=…) are not supported.'],
    [{ pattern: '(a)\\1' }, 'plan/bad-pattern'],
    [
      { type: 'number', minimum: 5, maximum: 4 },
      'plan/empty-range: No value of "it" fits: its "minimum" is above its "maximum".',
    ],
    [{ min_length: 5, maximum: 4, max_length: 4 }, 'plan/empty-range'],
    [
      { type: 'enum', enum_values: ['a'], pattern: 'a' },
      'plan/limit-without-effect: "pattern" has no effect on a value of type enum.',
    ],
    [{ minimum: 4 }, 'plan/limit-without-effect'],
    [{ items: { type: 'number' } }, 'plan/limit-without-effect'],
    [
      { pattern: '^\\d{5}$', examples: ['1234', '123'] },
      'plan/example-does-not-fit: The example "1234" of "it" would be refused: "1234" does not have the right form.',
    ],
    [{ type: 'list', items: { type: 'enum' } }, 'plan/enum-without-values'],
    [{ format: 'mail' }, 'found the text "mail"'],
    [{ min_length: -1 }, 'found the number -1'],
  ])('finds what is wrong with %j', (deliverable, finding) => {
    expect(found(deliverable).join()).toContain(finding);
  });

  test('finds a condition on a value beyond the limits', () => {
    const limits = { type: 'number', maximum: 10 };
    expect(found(limits, edges(onValue('ask', 'it', 50))).join()).toContain(
      'plan/impossible-value: "it" can never be 50: it is a number of at most 10.',
    );
  });

  const numeric = (operator: string, ...numbers: number[]) => {
    const [value = 0, max] = numbers;
    const limits = max === undefined ? { value } : { min: value, max };
    return edges(
      when(
        '__end__',
        'deliverable_value_numeric',
        { deliverable_key: 'it', operator, ...limits },
        1,
      ),
      to('__end__', 2),
    );
  };
  const score = { type: 'number', minimum: 1, maximum: 5 };

  test.each<[JsonObject, JsonObject, string]>([
    [score, numeric('gte', 50), '"it" can never be ≥ 50: it is a number from 1 to 5.'],
    [score, numeric('gt', 5), '"it" can never be > 5: it is'],
    [score, numeric('lt', 1), '"it" can never be < 1: it is'],
    [score, numeric('eq', 0), '"it" can never be = 0: it is'],
    [score, numeric('between', 6, 9), '"it" can never be from 6 to 9: it is'],
    [{ type: 'boolean' }, numeric('gt', 1), '"it" can never be > 1: it is true or false.'],
    [{ type: 'list', items: score }, numeric('gte', 2), '"it" can never be ≥ 2: it is a list'],
    [
      { type: 'list', items: { maximum: 5, type: 'number' } },
      edges(onValue('__end__', 'it', 6, 1), to('__end__', 2)),
      '"it" can never be 6: it is a number of at most 5.',
    ],
    [
      { format: 'date' },
      edges(onValue('__end__', 'it', '1 May', 1), to('__end__', 2)),
      '"it" can never be "1 May": it is a date',
    ],
    [
      { max_length: 2 },
      edges(
        when('__end__', 'deliverable_value_in', { key: 'it', values: ['abc'] }, 1),
        to('__end__', 2),
      ),
      '"it" can never be "abc": it is a text with at most 2 characters.',
    ],
  ])('finds that %j and the condition %j contradict each other', (deliverable, exits, finding) => {
    expect(found(deliverable, exits).join()).toContain(`plan/impossible-value: ${finding}`);
  });

  test.each<[JsonObject, JsonObject]>([
    [score, numeric('gte', 5)],
    [score, numeric('lte', 1)],
    [score, numeric('between', 0, 1)],
    [{ type: 'number', minimum: 1 }, numeric('gte', 50)],
    [{ type: 'boolean' }, numeric('gte', 1)],
  ])('has nothing against %j and the condition %j', (deliverable, exits) => {
    expect(found(deliverable, exits)).toEqual([]);
  });

  test('asks for no way on for numbers that are refused', () => {
    const { transitions } = numeric('between', 1, 5);
    const exits = edges((transitions as JsonObject[])[0]!);
    expect(found(score, exits)).toEqual([]);
    expect(found({ type: 'number' }, exits).join()).toContain('plan/uncovered-value');
  });

  test('has nothing against limits that values can meet', () => {
    for (const deliverable of [
      { pattern: '^\\d{5}$', examples: ['12345'] },
      { type: 'number', minimum: 1, maximum: 1 },
      { type: 'list', items: { type: 'enum', enum_values: ['a', 'b'] } },
    ])
      expect(found(deliverable as JsonObject, edges(onKnown('__end__', 'it')))).toEqual([]);
  });
});
