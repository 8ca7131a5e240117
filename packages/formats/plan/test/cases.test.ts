import { check, type JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { plan } from '../src/index.ts';
import {
  edges,
  goal,
  loose,
  onKnown,
  onValue,
  optional,
  planOf,
  state,
  strict,
  task,
  to,
  when,
} from './build.ts';
import { Conversation } from './conversation.ts';

/**
 * The behaviour cases of the specification, by number. Where generations of plans disagree, the name says whose
 * behaviour applies: the seed’s first, then our decisions (docs/formats/plan.md), then the rest.
 */

const start = (...given: Parameters<typeof Conversation.start>) => Conversation.start(...given);

/** The codes of the findings in a definition. */
function codes(definition: JsonObject): string[] {
  const { diagnostics } = check(JSON.stringify(definition), { formats: [plan], format: 'plan' });
  return diagnostics.filter(({ severity }) => severity !== 'info').map(({ code }) => code);
}

const intake = planOf(
  state(
    'customer-intake',
    strict(
      task('identify', 'customer_name', 'account_number'),
      task('classify', {
        key: 'issue_type',
        type: 'enum',
        enum_values: ['billing', 'technical', 'general'],
      }),
    ),
    edges(
      onValue('billing-support', 'issue_type', 'billing', 1),
      onValue('technical-support', 'issue_type', 'technical', 1),
      to('general-support', 10),
    ),
  ),
  state('billing-support', loose(task('billing'))),
  state('technical-support', loose(task('technical'))),
  state('general-support', loose(task('general'))),
);

describe('basics and routing', () => {
  test('1: a name ends the greeting, and the last task ends the conversation', async () => {
    const conversation = await start(
      planOf(
        state('greeting', loose(task('welcome', 'user_name')), edges(to('farewell'))),
        state('farewell', loose(task('goodbye'))),
      ),
    );
    await conversation.set({ user_name: 'Ada' });
    expect(conversation.state).toBe('farewell');
    await conversation.complete('goodbye');
    expect([conversation.state, conversation.isOver]).toEqual(['__end__', true]);
  });

  test('2: a value routes before the tasks are complete if order is advice; strict order refuses it', async () => {
    const advisory = await start(intake, { strictness: 'advisory' });
    await advisory.set({ issue_type: 'technical' });
    expect(advisory.state).toBe('technical-support');

    const enforced = await start(intake);
    await enforced.set({ issue_type: 'technical' });
    expect([enforced.state, enforced.deliverable('issue_type')]).toEqual([
      'customer-intake',
      undefined,
    ]);
  });

  test('2b: in a loose state the first event may route', async () => {
    const conversation = await start(
      planOf(
        state(
          'triage',
          loose(task('facts', 'name'), task('urgency', 'urgency')),
          edges(onValue('emergency', 'urgency', 'emergency', 1), to('standard', 10)),
        ),
        state('emergency', loose(task('help'))),
        state('standard', loose(task('queue'))),
      ),
    );
    await conversation.set({ urgency: 'emergency' });
    expect(conversation.state).toBe('emergency');
  });

  test('3: without a matching value, completion takes the fallback with priority 10', async () => {
    const conversation = await start(intake);
    await conversation.set({ customer_name: 'Ada' });
    await conversation.set({ account_number: '1' });
    await conversation.set({ issue_type: 'general' });
    expect(conversation.state).toBe('general-support');
  });

  const two = (...transitions: JsonObject[]) =>
    planOf(
      state('a', loose(task('t', 'x')), edges(...transitions)),
      state('b', loose(task('b'))),
      state('c', loose(task('c'))),
    );

  test('4: of two transitions that match, the lower priority number wins', async () => {
    const conversation = await start(two(onKnown('b', 'x', 2), onValue('c', 'x', 'yes', 1)));
    await conversation.set({ x: 'yes' });
    expect(conversation.state).toBe('c');
  });

  test('5: of two transitions with the same priority, the first in the list always wins', async () => {
    for (let round = 0; round < 5; round += 1) {
      const conversation = await start(two(onKnown('b', 'x', 1), onValue('c', 'x', 'yes', 1)));
      await conversation.set({ x: 'yes' });
      expect(conversation.state).toBe('b');
    }
  });

  test('6: priority 0 is the most urgent', async () => {
    const conversation = await start(two(onKnown('b', 'x', 1), onValue('c', 'x', 'yes', 0)));
    await conversation.set({ x: 'yes' });
    expect(conversation.state).toBe('c');
  });

  test('7 (seed): a missing priority is 1', async () => {
    const conversation = await start(two(onValue('b', 'x', 'yes'), onKnown('c', 'x', 50)));
    await conversation.set({ x: 'yes' });
    expect(conversation.state).toBe('b');
  });

  const jump = planOf(
    state(
      'a',
      loose(task('choose', 'route_to_c')),
      edges(onValue('c', 'route_to_c', 'yes'), to('b', 10)),
    ),
    state('b', loose(task('in-b', 'b_value')), edges(to('c'))),
    state(
      'c',
      loose(task('in-c', 'go_back')),
      edges(
        onValue('a', 'go_back', 'yes'),
        when('__end__', 'deliverable_value', { key: 'go_back', value: 'no' }),
      ),
    ),
  );

  test('8: a transition may skip states of the list', async () => {
    const conversation = await start(jump);
    await conversation.set({ route_to_c: 'yes' });
    expect(conversation.state).toBe('c');
    expect(Object.keys(conversation.context.tasks)).toEqual(['a', 'c']);
  });

  test('9: a task is not done before its required data is known; a transition may lead back', async () => {
    const conversation = await start(jump);
    await conversation.set({ route_to_c: 'yes' });
    conversation.news();
    await conversation.complete('in-c');
    expect(conversation.news()).toEqual(['refused: "in-c" is not done before "go_back" is known.']);
    await conversation.set({ go_back: 'yes' });
    expect(conversation.state).toBe('a');
    expect(conversation.tasks('c')).toEqual({ 'in-c': 'completed' });
    // The task of a starts again, because the state was entered again.
    expect(conversation.tasks('a')).toEqual({});
  });

  test('10: a condition on a value that no task collects never holds, with a warning', async () => {
    const definition = planOf(
      state('a', loose(task('t', 'x')), edges(onKnown('b', 'nothing'))),
      state('b', loose(task('b'))),
    );
    expect(codes(definition)).toContain('plan/undeclared-deliverable');
    const conversation = await start(definition);
    await conversation.set({ x: '1' });
    await conversation.turns(3);
    expect(conversation.state).toBe('a');
  });

  test('11: unknown keys and tasks are refused with the known ones, and change nothing', async () => {
    const conversation = await start(intake);
    conversation.news();
    await conversation.set({ unknown_key: '1' });
    await conversation.complete('unknown');
    expect(conversation.news()).toEqual([
      'refused: This state does not collect "unknown_key"; it collects "customer_name", "account_number", "issue_type".',
      'refused: This state has no task "unknown"; it has "identify", "classify".',
    ]);
    expect(conversation.context.deliverables).toEqual({});
  });

  test('12: a transition to a missing state does not compile', () => {
    expect(codes(planOf(state('a', loose(task('t')), edges(to('missing')))))).toContain(
      'plan/unknown-target',
    );
  });

  test('13 (seed): a transition without a condition type fires on completion, wherever it leads', async () => {
    const conversation = await start(
      planOf(
        state('a', loose(task('t')), edges({ target_state_id: 'c' })),
        state('b', edges(to('c'))),
        state('c', loose(task('c'))),
      ),
    );
    await conversation.complete('t');
    expect(conversation.state).toBe('c');
  });
});

describe('completion', () => {
  test('14: a task is done once its required deliverables are known', async () => {
    const conversation = await start(
      planOf(
        state(
          's',
          loose(task('t', 'a', 'b', optional({ key: 'c' })), task('other', 'z')),
          edges(to('n')),
        ),
        state('n'),
      ),
    );
    await conversation.set({ a: '1' });
    expect(conversation.tasks('s')).toEqual({});
    await conversation.set({ c: '3' });
    expect(conversation.tasks('s')).toEqual({});
    await conversation.set({ b: '2' });
    expect(conversation.tasks('s')).toEqual({ t: 'completed' });
  });

  test('15: data alone is enough to move through the states', async () => {
    const conversation = await start(
      planOf(
        state('preferences', loose(task('p', 'pref'), task('f', 'freq')), edges(to('habits'))),
        state('habits', loose(task('d', 'dur')), edges(to('goals'))),
        state('goals', loose(task('g', 'goal'))),
      ),
    );
    await conversation.set({ pref: 'run', freq: 'daily' });
    expect(conversation.state).toBe('habits');
    await conversation.set({ dur: '1 h' });
    expect(conversation.state).toBe('goals');
  });

  const allOptional = planOf(
    state(
      'chat',
      loose(
        optional(task('a', optional({ key: 'a' }))),
        optional(task('b', optional({ key: 'b' }))),
      ),
      edges(to('followup')),
    ),
    state('followup', loose(task('f', 'f'))),
  );

  test('16 (later service): with completion "all", a state waits for every optional value', async () => {
    const conversation = await start(allOptional, { completion: 'all' });
    await conversation.set({ a: '1' });
    expect(conversation.state).toBe('chat');
    await conversation.set({ b: '2' });
    expect(conversation.state).toBe('followup');
  });

  test('16 (decision 3): by default a state of optional tasks is left after one exchange, never on entry', async () => {
    const conversation = await start(allOptional);
    expect(conversation.state).toBe('chat');
    await conversation.turn();
    expect(conversation.state).toBe('followup');
  });

  const mixed = planOf(
    state('a', loose(task('r', 'r'), optional(task('o', optional({ key: 'o' })))), edges(to('b'))),
    state('b', loose(task('b'))),
  );

  test('17 (seed): a state does not wait for an optional task', async () => {
    const conversation = await start(mixed);
    await conversation.set({ r: '1' });
    expect(conversation.state).toBe('b');
  });

  test('17 (later service): with completion "all" it waits until the task is done or skipped', async () => {
    const conversation = await start(mixed, { completion: 'all' });
    await conversation.set({ r: '1' });
    expect(conversation.state).toBe('a');
    await conversation.skip('o');
    expect(conversation.state).toBe('b');
  });

  const middle = planOf(
    state('a', loose(task('ta', 'x')), edges(to('b'))),
    state('b', loose(optional(task('task-b', optional({ key: 'opt_note' })))), edges(to('c'))),
    state('c', loose(task('tc', 'y'))),
  );

  test('18 (later service): a state of one optional task waits until it is done or skipped', async () => {
    const ways: ((conversation: Conversation) => Promise<Conversation>)[] = [
      (conversation) => conversation.complete('task-b'),
      (conversation) => conversation.skip('task-b'),
      (conversation) => conversation.set({ opt_note: 'n' }),
      (conversation) => conversation.skipState(),
    ];
    for (const address of ways) {
      const conversation = await start(middle, { completion: 'all' });
      await conversation.set({ x: '1' });
      await conversation.turns(6);
      expect(conversation.state).toBe('b');
      await address(conversation);
      expect(conversation.state).toBe('c');
    }
  });

  test('19: a required task that is skipped in a loose state is addressed', async () => {
    const conversation = await start(
      planOf(state('a', loose(task('t', 'k')), edges(to('b'))), state('b', loose(task('b')))),
    );
    await conversation.skip('t');
    expect(conversation.state).toBe('b');
    expect(conversation.tasks('a')).toEqual({ t: 'skipped' });
  });

  test('20: a declared completion counts unless a required value is missing', async () => {
    const conversation = await start(
      planOf(
        state(
          'a',
          loose(
            task('greet', 'user_name'),
            task('intro'),
            task('ask', optional({ key: 'note' })),
            task('last', 'l'),
          ),
          edges(to('b')),
        ),
        state('b'),
      ),
    );
    conversation.news();
    await conversation.complete('greet');
    expect(conversation.news()).toEqual([
      'refused: "greet" is not done before "user_name" is known.',
    ]);
    await conversation.set({ user_name: 'Ada' });
    await conversation.complete('greet');
    await conversation.complete('intro', 'ask');
    expect(conversation.tasks('a')).toEqual({
      greet: 'completed',
      intro: 'completed',
      ask: 'completed',
    });
    expect(conversation.news()).toEqual([
      'collected: user_name = "Ada"',
      'done: greet',
      'done: intro',
      'done: ask',
    ]);
  });

  test('21: a late completion for a task of a previous state is not an error', async () => {
    const conversation = await start(
      planOf(state('a', loose(task('ta')), edges(to('b'))), state('b', loose(task('tb', 'x')))),
    );
    await conversation.complete('ta');
    conversation.news();
    await conversation.complete('ta');
    expect([conversation.state, conversation.news()]).toEqual(['b', []]);
  });

  test('22: concurrent updates are all recorded', async () => {
    const conversation = await start(
      planOf(
        state('a', loose(task('t1'), task('t2'), task('t3')), edges(to('b'))),
        state('b', loose(task('tb', 'x'))),
      ),
    );
    await Promise.all([
      conversation.complete('t1'),
      conversation.skip('t2'),
      conversation.complete('t3'),
    ]);
    expect([conversation.state, conversation.tasks('a')]).toEqual([
      'b',
      { t1: 'completed', t2: 'skipped', t3: 'completed' },
    ]);
  });

  test('23 (must not hold): a task with known data need not be declared done', async () => {
    const conversation = await start(
      planOf(state('a', loose(task('t', 'name')), edges(to('b'))), state('b', loose(task('b')))),
    );
    await conversation.set({ name: 'Ada' });
    expect(conversation.state).toBe('b');
  });

  test('24: done and skipped together address a loose state', async () => {
    const conversation = await start(
      planOf(
        state('a', loose(task('t1'), task('t2')), edges(to('b'))),
        state('b', loose(task('b'))),
      ),
    );
    await conversation.complete('t1');
    await conversation.skip('t2');
    expect(conversation.state).toBe('b');
  });

  const sequence = planOf(
    state('a', strict(task('t1', 'k1'), task('t2', 'k2'), task('t3', 'k3')), edges(to('b'))),
    state('b', loose(task('b'))),
  );

  test('25 (later service): if order is advice, a later value is recorded', async () => {
    const conversation = await start(sequence, { strictness: 'advisory' });
    await conversation.set({ k2: '2' });
    expect(conversation.tasks('a')).toEqual({ t2: 'completed' });
  });

  test('26 (seed): strict defers a value out of order until the turn of its task', async () => {
    const conversation = await start(sequence);
    conversation.news();
    await conversation.set({ k2: '2' });
    expect(conversation.news()).toEqual(['volunteered: k2 = "2"']);
    expect(conversation.value).toEqual({ conversation: { plan: { a: 't1' }, turn: 'waiting' } });
    await conversation.set({ k1: '1' });
    expect(conversation.news()).toEqual([
      'collected: k1 = "1"',
      'done: t1',
      'collected: k2 = "2" (said earlier)',
      'done: t2',
    ]);
    expect(conversation.value).toEqual({ conversation: { plan: { a: 't3' }, turn: 'waiting' } });
  });

  const fitness = planOf(
    state('greeting', loose(task('daily_greeting')), edges(to('activity_check'))),
    state(
      'activity_check',
      strict(
        task('exercise_done', { key: 'exercised_today', type: 'boolean' }),
        optional(task('exercise_details', optional({ key: 'exercise_type' }))),
        task('steps', optional({ key: 'step_count', type: 'number' })),
      ),
      edges(to('nutrition_check')),
    ),
    state('nutrition_check', loose(task('water', { key: 'water_glasses', type: 'number' }))),
  );

  test('27: optional tasks in a strict state are passed over, skipped or done, never required', async () => {
    const conversation = await start(fitness);
    await conversation.complete('daily_greeting');
    expect(conversation.state).toBe('activity_check');
    await conversation.set({ exercised_today: false });
    expect(conversation.state).toBe('activity_check');
    await conversation.skip('exercise_details');
    expect(conversation.state).toBe('activity_check');
    await conversation.set({ step_count: 5000 });
    expect(conversation.state).toBe('nutrition_check');
    const passing = await start(fitness);
    await passing.complete('daily_greeting');
    await passing.set({ exercised_today: false });
    await passing.set({ step_count: 5000 });
    expect(passing.state).toBe('nutrition_check');
  });

  test('28 (seed): a strict game does not wait for optional levels', async () => {
    const levels = [1, 2, 3, 4].map((level) => task(`level_${level}`, `result_${level}`));
    const more = [5, 6, 7].map((level) =>
      optional(task(`level_${level}`, optional({ key: `result_${level}` }))),
    );
    const game = planOf(
      state(
        'memory_game',
        strict(...levels, task('continue', { key: 'wants_to_continue', type: 'boolean' }), ...more),
        edges(to('feedback')),
      ),
      state('feedback', loose(task('rate', 'rating'))),
    );
    const conversation = await start(game);
    for (const level of [1, 2, 3, 4]) await conversation.set({ [`result_${level}`]: 'ok' });
    expect(conversation.state).toBe('memory_game');
    await conversation.set({ wants_to_continue: false });
    expect(conversation.state).toBe('feedback');
    const all = await start(game, { completion: 'all' });
    for (const level of [1, 2, 3, 4]) await all.set({ [`result_${level}`]: 'ok' });
    await all.set({ wants_to_continue: false });
    expect(all.state).toBe('memory_game');
    await all.skipState();
    expect([all.state, all.tasks('memory_game')['level_6']]).toEqual(['feedback', 'skipped']);
  });
});

describe('chaining, loops, emptiness', () => {
  test('29 (decision 3): each empty state has its own exchange', async () => {
    const conversation = await start(
      planOf(
        state('a', loose(task('ta')), edges(to('b'))),
        state('b', edges(to('c'))),
        state('c', edges(to('d'))),
        state('d', edges(to('__end__'))),
      ),
    );
    await conversation.complete('ta'); // The agent speaks in b.
    expect(conversation.state).toBe('b');
    await conversation.turn();
    expect(conversation.state).toBe('c');
    await conversation.turn();
    expect(conversation.state).toBe('d');
    await conversation.turn();
    expect(conversation.isOver).toBe(true);
  });

  test('30 (decision 3): the agent speaks in each empty state of a branch before the end', async () => {
    const conversation = await start(
      planOf(
        state(
          'triage',
          loose(
            task(
              'facts',
              { key: 'issue', type: 'enum', enum_values: ['billing', 'other'] },
              { key: 'urgency', type: 'number' },
            ),
          ),
          edges(
            when('state_priority', 'all_of', {
              conditions: [
                { type: 'deliverable_value', config: { key: 'issue', value: 'billing' } },
                {
                  type: 'deliverable_value_numeric',
                  config: { key: 'urgency', operator: '>=', value: 8 },
                },
              ],
            }),
            to('closure', 99),
          ),
        ),
        state('state_priority', edges(to('closure'))),
        state('closure', edges(to('__end__'))),
      ),
    );
    await conversation.set({ issue: 'billing', urgency: 9 });
    expect(conversation.state).toBe('state_priority');
  });

  test('31: an empty first state is left after the first answer, not at the start', async () => {
    const conversation = await start(
      planOf(state('a', edges(to('b'))), state('b', loose(task('t', 'x')))),
    );
    expect(conversation.state).toBe('a');
    await conversation.turn();
    expect(conversation.state).toBe('b');
  });

  test('32 (decision 3): thirteen empty states take thirteen exchanges', async () => {
    const empty = Array.from({ length: 13 }, (_, index) =>
      state(`e${index}`, edges(to(index < 12 ? `e${index + 1}` : '__end__'))),
    );
    const conversation = await start(
      planOf(state('a', loose(task('t')), edges(to('e0'))), ...empty),
    );
    await conversation.complete('t');
    await conversation.turns(12);
    expect([conversation.state, conversation.isOver]).toEqual(['e12', false]);
    await conversation.turn();
    expect(conversation.isOver).toBe(true);
  });

  test('32b: known data leads through any number of states, each at most once', async () => {
    const filled = Array.from({ length: 13 }, (_, index) =>
      state(`e${index}`, loose(task('t', 'x')), edges(to(index < 12 ? `e${index + 1}` : 'last'))),
    );
    const conversation = await start(planOf(...filled, state('last', loose(task('l', 'y')))));
    await conversation.set({ x: '1' });
    expect(conversation.state).toBe('last');
  });

  test('33: two states that always lead to each other move once per event', async () => {
    const definition = planOf(
      state('a', loose(task('ta', 'x')), edges(onKnown('b', 'x'))),
      state('b', loose(task('tb', 'y')), edges(onKnown('a', 'x'))),
    );
    expect(codes(definition)).toEqual(['plan/no-way-to-the-end']);
    const conversation = await start(definition);
    await conversation.set({ x: '1' });
    expect(conversation.state).toBe('b');
    await conversation.turn();
    expect(conversation.state).toBe('a');
    await conversation.turn();
    expect(conversation.state).toBe('b');
  });

  test('34 (decision 3): a key that two states collect completes both', async () => {
    const conversation = await start(
      planOf(
        state('a', loose(task('ta', 'shared')), edges(to('b'))),
        state('b', loose(task('tb', 'shared')), edges(to('c'))),
        state('c', loose(task('tc', 'other'))),
      ),
    );
    await conversation.set({ shared: '1' });
    expect(conversation.state).toBe('c');
  });

  test('35 (recommended): a task id in two states is two tasks', async () => {
    const conversation = await start(
      planOf(
        state('a', loose(task('same')), edges(to('b'))),
        state('b', loose(task('same')), edges(to('c'))),
        state('c', loose(task('t', 'x'))),
      ),
    );
    await conversation.complete('same');
    expect(conversation.state).toBe('b');
  });

  test('36 (decision 12): a self transition enters its state again once, and does not shadow later transitions', async () => {
    const definition = planOf(
      state('a', loose(task('t', 'x')), edges(onKnown('a', 'x', 5), to('b', 99))),
      state('b', loose(task('tb', 'y'))),
    );
    expect(codes(definition)).toContain('plan/self-transition');
    const conversation = await start(definition);
    conversation.news();
    await conversation.set({ x: '1' });
    expect(conversation.news()).toEqual(['collected: x = "1"', 'done: t', 'state: a']);
    expect(conversation.state).toBe('a'); // The state was entered again, so its task starts again ...
    await conversation.turn();
    expect(conversation.news().slice(0, 1)).toEqual(['state: a']);
    const both = await start(
      planOf(
        state('a', loose(task('t', 'x')), edges(onKnown('a', 'x', 5), onValue('b', 'x', 'go', 9))),
        state('b', loose(task('tb', 'y'))),
      ),
    );
    await both.set({ x: 'go' });
    expect(both.state).toBe('b'); // ... but a transition whose data is known is taken in the same turn.
  });

  test('37 (decision 3): a known value leads through a state that waits for it', async () => {
    const conversation = await start(
      planOf(
        state('a', loose(task('ta', 'x')), edges(to('b'))),
        state('b', loose(task('tb', 'y')), edges(onKnown('c', 'x'))),
        state('c', loose(task('tc', 'z'))),
      ),
    );
    await conversation.set({ x: '1' });
    expect(conversation.state).toBe('c');
  });
});

describe('turns', () => {
  const turnCount = (config: JsonObject) =>
    planOf(
      state('a', loose(task('t', 'x')), edges(when('b', 'turn_count_exceeded', config))),
      state('b', loose(task('b', 'y'))),
    );

  test('38: the turn that reaches the limit moves the conversation', async () => {
    const conversation = await start(turnCount({ turns: 2 }));
    await conversation.turn();
    expect(conversation.state).toBe('a');
    await conversation.turn();
    expect(conversation.state).toBe('b');
  });

  test('39: scopes count separately, "value" is a threshold too, and 2.9 acts as 2', async () => {
    const total = await start(
      planOf(
        state(
          'a',
          loose(task('t', 'x'), task('u', 'y')),
          edges(when('b', 'turn_count_exceeded', { value: 2.9, scope: 'TOTAL' })),
        ),
        state('b', loose(task('b', 'z'))),
      ),
    );
    await total.turn({ deliverables: { x: '1' } });
    expect([total.state, total.context.visit.idleTurns, total.context.visit.turns]).toEqual([
      'a',
      0,
      1,
    ]);
    await total.turn();
    expect(total.state).toBe('b');
    const idle = await start(
      planOf(
        state(
          'a',
          loose(task('t', 'x'), task('u', 'y')),
          edges(when('b', 'turn_count_exceeded', { turns: 2 })),
        ),
        state('b', loose(task('b', 'z'))),
      ),
    );
    await idle.turn();
    await idle.turn({ deliverables: { x: '1' } });
    await idle.turn();
    expect(idle.state).toBe('a');
    await idle.turn();
    expect(idle.state).toBe('b');
  });

  test('39: an unreadable threshold does not compile', () => {
    for (const config of [{}, { turns: 'abc' }, { turns: -1 }, { turns: 1, scope: 'sideways' }]) {
      expect(codes(turnCount(config))).toEqual([
        expect.stringMatching(/^plan\/(missing|bad)-condition-field$/),
        ...(Object.keys(config).length > 0 && 'scope' in config ? [] : []),
      ]);
    }
  });

  test('40 (as documented): turns are counted per state', async () => {
    const conversation = await start(
      planOf(
        state('a', loose(task('ta')), edges(to('b'))),
        state(
          'b',
          loose(task('tb', 'x')),
          edges(when('c', 'turn_count_exceeded', { turns: 2, scope: 'total' })),
        ),
        state('c', loose(task('tc', 'y'))),
      ),
    );
    await conversation.turns(2);
    await conversation.complete('ta');
    expect(conversation.state).toBe('b');
    await conversation.turns(2);
    expect(conversation.state).toBe('c');
  });

  test('41: a state waits for a required task without required values, and an idle limit ends the wait', async () => {
    const conversation = await start(
      planOf(
        state('welcome', loose(task('greet', 'name')), edges(to('activity'))),
        state(
          'activity',
          loose(
            task('type', 'type'),
            task('frequency', 'frequency'),
            task('enjoyment', optional({ key: 'enjoyment' })),
          ),
          edges(
            to('barriers'),
            when('barriers', 'turn_count_exceeded', { turns: 8, scope: 'without_progress' }, 50),
          ),
        ),
        state('barriers', loose(task('b', 'barrier'))),
      ),
    );
    await conversation.set({ name: 'Ada' });
    await conversation.set({ type: 'run', frequency: 'daily' });
    await conversation.turns(7);
    expect(conversation.state).toBe('activity');
    await conversation.turn();
    expect(conversation.state).toBe('barriers');
  });

  const fork = planOf(
    state(
      'a',
      loose(task('t', 'x')),
      edges(onValue('c', 'x', 'never'), onValue('b', 'x', 'neither')),
    ),
    state('b', loose(task('b', 'y'))),
    state('c', loose(task('c', 'z'))),
  );

  test('42 (decision 8): a fork waits indefinitely unless idleTurnLimit is set', async () => {
    const patient = await start(fork);
    await patient.turns(12);
    expect(patient.state).toBe('a');
    const limited = await start(fork, { idleTurnLimit: 10 });
    await limited.turns(9);
    await limited.turn({ deliverables: { x: 'something' } });
    await limited.turns(9);
    expect(limited.state).toBe('a');
    await limited.turn();
    expect(limited.state).toBe('b');
  });

  test('43 (decision 3): a state of optional tasks is left after one exchange, the last one after the agent has spoken', async () => {
    const conversation = await start(
      planOf(
        state('a', loose(optional(task('t', optional({ key: 'x' })))), edges(to('b'))),
        state('b', loose(optional(task('u', optional({ key: 'y' }))))),
      ),
    );
    await conversation.turn({ deliverables: { x: '1' } });
    expect([conversation.tasks('a'), conversation.isOver]).toEqual([{ t: 'completed' }, true]);
  });

  test('44: a value with priority 1 beats a turn limit with priority 1000', async () => {
    const conversation = await start(
      planOf(
        state(
          'a',
          loose(task('t', 'x')),
          edges(
            when('c', 'turn_count_exceeded', { turns: 1, scope: 'total' }, 1000),
            onValue('b', 'x', 'yes', 1),
          ),
        ),
        state('b', loose(task('b', 'y'))),
        state('c', loose(task('c', 'z'))),
      ),
    );
    await conversation.turn({ deliverables: { x: 'yes' } });
    expect(conversation.state).toBe('b');
  });
});

describe('values', () => {
  /** Whether a stored value fulfils a condition. */
  async function moves(
    deliverable: JsonObject,
    stored: unknown,
    type: string,
    config: JsonObject,
  ): Promise<boolean> {
    const conversation = await start(
      planOf(
        state(
          'a',
          loose(task('t', { key: 'k', ...deliverable }), task('rest', 'z')),
          edges(when('b', type, { key: 'k', ...config })),
        ),
        state('b', loose(task('b', 'y'))),
      ),
    );
    await conversation.set({ k: stored } as JsonObject);
    return conversation.state === 'b';
  }
  const premium = { type: 'enum', enum_values: ['premium', 'basic'] };

  test('45 (decision 13): enums are compared trimmed and case-insensitively, texts exactly', async () => {
    expect(await moves(premium, ' premium ', 'deliverable_value', { value: 'Premium' })).toBe(true);
    expect(await moves({}, ' premium ', 'deliverable_value', { value: 'Premium' })).toBe(false);
    expect(await moves({}, 'Premium', 'deliverable_value', { value: 'Premium' })).toBe(true);
  });

  test('46 (recommended): expected values are read by the declared type, and a list means any of its values', async () => {
    expect(await moves({ type: 'boolean' }, true, 'deliverable_value', { value: 'true' })).toBe(
      true,
    );
    expect(await moves(premium, 'premium', 'deliverable_value', { value: ['premium'] })).toBe(true);
    expect(await moves({ type: 'boolean' }, false, 'deliverable_value', { value: false })).toBe(
      true,
    );
    expect(await moves({ type: 'boolean' }, true, 'deliverable_value', { value: false })).toBe(
      false,
    );
    expect(await moves({ type: 'number' }, 0, 'deliverable_value', { value: 0 })).toBe(true);
  });

  test('47: a list condition matches any of its values, each read by the declared type', async () => {
    expect(await moves({ type: 'number' }, '5', 'deliverable_value_in', { values: ['4', 5] })).toBe(
      true,
    );
    expect(await moves({ type: 'number' }, 6, 'deliverable_value_in', { values: ['4', 5] })).toBe(
      false,
    );
    expect(
      await moves(
        { type: 'enum', enum_values: ['option_a', 'b'] },
        'OPTION_A',
        'deliverable_value_in',
        { values: ['option_a'] },
      ),
    ).toBe(true);
  });

  test('48: numbers compare as numbers', async () => {
    const number = { type: 'number' };
    const compare = (stored: unknown, config: JsonObject) =>
      moves(number, stored, 'deliverable_value_numeric', config);
    expect(await compare(80, { operator: 'gt', value: 80 })).toBe(false);
    expect(await compare('81', { operator: 'gt', value: 80 })).toBe(true);
    expect(await compare(5, { operator: '>=', value: 5 })).toBe(true);
    expect(await compare(3, { operator: '==', value: '3' })).toBe(true);
    expect(await compare(38, { operator: 'between', min: 36, max: 38 })).toBe(true);
    expect(await compare(4, { operator: 'range', min: 4, max: 7, inclusive: false })).toBe(false);
    expect(
      await moves({}, 'twelve', 'deliverable_value_numeric', { operator: 'neq', value: 3 }),
    ).toBe(false);
    expect(
      codes(
        planOf(
          state(
            'a',
            loose(task('t', 'k')),
            edges(when('a', 'deliverable_value_numeric', { key: 'k', value: 1 })),
          ),
        ),
      ),
    ).toContain('plan/missing-condition-field');
  });

  test('49 (seed): an empty text is not a value', async () => {
    expect(await moves({}, '', 'deliverable_exists', {})).toBe(false);
    expect(await moves({}, null, 'deliverable_exists', {})).toBe(false);
    expect(await moves({ type: 'boolean' }, false, 'deliverable_exists', {})).toBe(true);
  });

  test('50: conditions combine, in either spelling, five levels deep', async () => {
    const exists = (key: string) => ({ type: 'deliverable_exists', config: { key } });
    const definition = planOf(
      state(
        'a',
        loose(task('t', 'base', 'r_a', 'r_b'), task('rest', 'z')),
        edges(
          when('b', 'all_of', {
            conditions: [
              exists('base'),
              { type: 'any_of', config: { conditions: [exists('r_a'), exists('r_b')] } },
            ],
          }),
        ),
      ),
      state('b', loose(task('b', 'y'))),
    );
    const conversation = await start(definition);
    await conversation.set({ base: '1' });
    expect(conversation.state).toBe('a');
    await conversation.set({ r_b: '1' });
    expect(conversation.state).toBe('b');
    const other = await start(definition);
    await other.set({ r_a: '1' });
    expect(other.state).toBe('a');

    const nested = (levels: number): JsonObject =>
      levels === 0 ? exists('x') : { type: 'all_of', config: { conditions: [nested(levels - 1)] } };
    const deep = (levels: number) =>
      planOf(
        state(
          'a',
          loose(task('t', 'x')),
          edges({
            ...to('b'),
            condition_type: 'all_of',
            condition_config: { conditions: [nested(levels - 1)] },
          }),
        ),
        state('b', loose(task('b'))),
      );
    expect(codes(deep(5))).toEqual([]);
    expect(codes(deep(6))).toEqual(['plan/condition-too-deep']);
    for (const operator of ['xor', undefined]) {
      const config = { ...(operator ? { operator } : {}), conditions: [exists('x')] };
      expect(
        codes(
          planOf(
            state('a', loose(task('t', 'x')), edges(when('b', 'compound', config))),
            state('b', loose(task('b'))),
          ),
        ),
      ).toEqual([operator ? 'plan/bad-condition-field' : 'plan/missing-condition-field']);
    }
  });

  test("51 (seed): the seed's keys route, and an unresolved issue is escalated", async () => {
    const support = planOf(
      state(
        'intake',
        strict(
          task('identify', 'customer_name', optional({ key: 'account_number' })),
          task('categorize', 'issue_summary', {
            key: 'issue_category',
            type: 'enum',
            enum_values: ['billing', 'technical', 'general'],
          }),
        ),
        edges(
          onValue('billing', 'issue_category', 'billing', 1),
          onValue('technical', 'issue_category', 'technical', 1),
          to('general', 10),
        ),
      ),
      state('billing', loose(task('b', 'amount'))),
      state(
        'technical',
        loose(task('t', { key: 'issue_resolved', type: 'boolean' })),
        edges(onValue('escalation', 'issue_resolved', false, 1), to('closing', 10)),
      ),
      state('general', loose(task('g', 'topic'))),
      state('escalation', loose(task('e', 'contact'))),
      state('closing', loose(task('c', 'more'))),
    );
    const routeOf = async (category: string) => {
      const conversation = await start(support);
      await conversation.set({ customer_name: 'Ada' });
      expect(conversation.state).toBe('intake');
      await conversation.set({ issue_summary: 'broken', issue_category: category });
      return conversation;
    };
    expect((await routeOf('general')).state).toBe('general');
    expect((await routeOf('billing')).state).toBe('billing');
    const technical = await routeOf('technical');
    await technical.set({ issue_resolved: false });
    expect(technical.state).toBe('escalation');
  });
});

describe('goal states', () => {
  const coaching = planOf(
    state('explore', goal([{ key: 'next_step' }, optional({ key: 'timeframe' })])),
    state('close', loose(task('c', 'x'))),
  );

  test('52: only goal_achieved leaves a goal state', async () => {
    for (const value of [true, 'yes', 'Done ']) {
      const conversation = await start(coaching);
      await conversation.set({ next_step: 'walk' });
      await conversation.turns(2);
      expect(conversation.state).toBe('explore');
      await conversation.set({ __goal_achieved__: false });
      expect(conversation.state).toBe('explore');
      await conversation.set({ __goal_achieved__: value });
      expect(conversation.state).toBe('close');
    }
    const authored = await start(
      planOf(
        state('g', goal(), edges(when('close', 'all_tasks_complete'))),
        state('close', loose(task('c', 'x'))),
      ),
    );
    await authored.turns(2);
    expect(authored.state).toBe('g');
    await authored.turn({ goal_achieved: true });
    expect(authored.state).toBe('close');
  });

  test('53: an insight is kept but fires no transition, even one that reads it; a declared key does', async () => {
    const definition = planOf(
      state(
        'g',
        goal([{ key: 'declared' }]),
        edges(onKnown('b', 'insight'), onKnown('c', 'declared')),
      ),
      state('b', loose(task('b', 'x'))),
      state('c', loose(task('c', 'y'))),
    );
    const conversation = await start(definition);
    await conversation.set({ insight: 'tired' });
    expect([conversation.state, conversation.context.deliverables['insight']]).toEqual([
      'g',
      { value: 'tired', state: 'g', discovered: true },
    ]);
    await conversation.set({ insight: 'tired' });
    expect(conversation.state).toBe('g');
    const declared = await start(definition);
    await declared.set({ declared: '1' });
    expect(declared.state).toBe('c');
  });

  test('54: goal_achieved outside a goal state never holds, with a warning', async () => {
    const definition = planOf(
      state('a', loose(task('t', 'x')), edges(when('b', 'goal_achieved'))),
      state('b', loose(task('b'))),
    );
    expect(codes(definition)).toEqual(['plan/goal-condition-outside-goal-state']);
    const conversation = await start(definition);
    await conversation.set({ x: '1' });
    await conversation.turns(3);
    expect(conversation.state).toBe('a');
  });

  test('55: a goal does not wait for optional values', async () => {
    const conversation = await start(coaching);
    await conversation.set({ next_step: 'walk', __goal_achieved__: true });
    expect([conversation.state, conversation.deliverable('timeframe')]).toEqual([
      'close',
      undefined,
    ]);
  });

  test('56: a goal state asks for its own values and those of its tasks', async () => {
    const conversation = await start(
      planOf(
        state(
          'g',
          goal([{ key: 'goal_d1' }], task('t', 'task_d1')),
          edges(when('b', 'goal_achieved')),
        ),
        state('b'),
      ),
    );
    await conversation.set({ goal_d1: '1', task_d1: '2' });
    expect(conversation.context.deliverables).toEqual({
      goal_d1: { value: '1', state: 'g' },
      task_d1: { value: '2', state: 'g' },
    });
  });

  test('56b: each visit to a goal state has a goal of its own', async () => {
    const conversation = await start(
      planOf(
        state('g1', goal(), edges(when('g2', 'goal_achieved'))),
        state('g2', goal(), edges(when('c', 'goal_achieved'))),
        state('c', loose(task('c', 'x'))),
      ),
    );
    await conversation.set({ __goal_achieved__: true });
    expect(conversation.state).toBe('g2');
  });

  test('57: answers in any order leave the state; skipping does too; idle turns do not', async () => {
    const grace = planOf(
      state('name', loose(task('n', 'name')), edges(to('exercise'))),
      state(
        'exercise',
        loose(task('a', 'kind'), task('b', 'often'), task('c', 'liked')),
        edges(to('goals')),
      ),
      state('goals', loose(task('g', 'goal'))),
    );
    const answered = await start(grace);
    await answered.set({ name: 'Ada' });
    await answered.set({ liked: 'air' });
    await answered.turns(4);
    expect(answered.state).toBe('exercise');
    await answered.set({ kind: 'run', often: 'daily' });
    expect(answered.state).toBe('goals');
    const skipped = await start(grace);
    await skipped.set({ name: 'Ada' });
    await skipped.set({ kind: 'run' });
    await skipped.skipState();
    expect([skipped.state, skipped.tasks('exercise')]).toEqual([
      'goals',
      { a: 'completed', b: 'skipped', c: 'skipped' },
    ]);
  });
});

describe('corrections and the end', () => {
  const greeting = planOf(
    state('s', loose(task('greet', 'user_name'), task('rest', 'z')), edges(to('n'))),
    state('n', loose(task('t', 'y'))),
  );

  test('58 (decision 9): a later write replaces the value, the history is kept and emitted', async () => {
    const conversation = await start(greeting);
    await conversation.set({ user_name: 'Felix' });
    conversation.news();
    await conversation.set({ user_name: 'Bob' }, { reasoning: 'corrected' });
    expect(conversation.context.deliverables['user_name']).toEqual({
      value: 'Bob',
      state: 's',
      reasoning: 'corrected',
      history: ['Felix'],
    });
    expect(conversation.news()).toEqual(['collected: user_name = "Bob" (was "Felix")']);
    await conversation.set({ z: '1' });
    await conversation.set({ user_name: 'Rob' });
    expect([conversation.state, conversation.deliverable('user_name')]).toEqual(['n', 'Rob']);
    for (let index = 0; index < 15; index += 1)
      await conversation.set({ user_name: `Rob ${index}` });
    expect(conversation.context.deliverables['user_name']?.history).toHaveLength(10);
  });

  test('59: a value mentioned in passing counts, and is confirmed when it is repeated', async () => {
    const conversation = await start(greeting);
    await conversation.set({ user_name: 'Felix' }, { unconfirmed: ['user_name'] });
    expect(conversation.context.deliverables['user_name']).toEqual({
      value: 'Felix',
      state: 's',
      unconfirmed: true,
    });
    expect(conversation.tasks('s')).toEqual({ greet: 'completed' });
    await conversation.set({ user_name: 'Felix' });
    expect(conversation.context.deliverables['user_name']).toEqual({ value: 'Felix', state: 's' });
    await conversation.set({ user_name: 'Felix' }, { unconfirmed: ['user_name'] });
    expect(conversation.context.deliverables['user_name']).toEqual({ value: 'Felix', state: 's' });
  });

  test('60 (decision 6): the last state ends the conversation when it is complete, an empty one once the agent has spoken', async () => {
    const farewell = await start(
      planOf(
        state('greeting', loose(task('greet')), edges(to('farewell'))),
        state('farewell', loose(task('goodbye'))),
      ),
    );
    await farewell.complete('greet');
    await farewell.complete('goodbye');
    expect(farewell.isOver).toBe(true);
    const empty = await start(
      planOf(state('a', loose(task('t', 'x')), edges(to('last'))), state('last')),
    );
    await empty.turn({ deliverables: { x: '1' } });
    expect(empty.isOver).toBe(true);
    const own = await start(
      planOf(state('a', loose(task('t', 'x')), edges(onValue('__end__', 'x', 'stop')))),
    );
    await own.set({ x: 'go on' });
    expect(own.isOver).toBe(false);
    await own.set({ x: 'stop' });
    expect(own.isOver).toBe(true);
  });
});
