import { describe, expect, test } from 'vitest';
import {
  action,
  decision,
  exit,
  graphOf,
  reflection,
  sideEffect,
  tool,
  toolCall,
} from './build.ts';
import { type Answer, Conversation } from './conversation.ts';
import {
  all,
  allStates,
  child,
  childWithSpelling,
  engage,
  it,
  loop,
  med,
  parent,
  spell,
} from './graphs.ts';

/** The behaviour cases of the specification, by id. `A1` and `E1` are options by place. */

const select = (option: string): Answer => ['select', option];
const decide = (option: string): Answer => ['decide', option];
const reflect = (text = 'Hm.'): Answer => ['reflect', text];
const queries = (...wanted: string[]): Answer => ['queries', wanted];
const prepare = (given: object): Answer => ['prepare', { arguments: given } as never];
const withIntake = { graphs: { intake: child } };

describe('staying and moving', () => {
  test('B01: when no exit holds, the state is kept', async () => {
    const turn = await Conversation.start(it).say('hello', select('A2'));
    expect(turn).toMatchObject({ trace: '[A] greeting !A2', transitions: [] });
  });

  test('B02: an exit leads to the next action state, which speaks', async () => {
    const turn = await Conversation.start(it).say('my vpn is down', select('E1'), select('A1'));
    expect(turn.trace).toBe('[A] greeting -> [A] diagnose !A1');
  });

  test('B03: only the last of three action states speaks, and the terminal one has nothing to select', async () => {
    const conversation = Conversation.start(it);
    const turn = await conversation.say('was down, fixed, thanks', select('E1'), select('E1'));
    expect(turn.trace).toBe('[A] greeting -> [A] diagnose -> [A] wrap_up !A1');
    expect([conversation.count('engage'), conversation.count('select')]).toEqual([1, 2]);
    expect(conversation.isOver).toBe(true);
  });

  test('B04: of two exits with one target, the selected exit is recorded', async () => {
    const conversation = Conversation.start(it);
    await conversation.say('vpn', select('E1'), select('A2'));
    const turn = await conversation.say('needs a human', select('E2'));
    expect(turn).toMatchObject({
      trace: '[A] diagnose -> [A] wrap_up !A1',
      transitions: [{ type: 'action', from: 'diagnose', to: 'wrap_up', exit: 'E2' }],
    });
  });

  test('B05a, B05b: new and returning users begin in different states', async () => {
    const both = { ...it, returning_user_initial_state: 'diagnose' };
    const fresh = await Conversation.start(both).say('', select('A1'));
    const again = await Conversation.start(both, {}, { returning: true }).say('', select('A1'));
    expect([fresh.trace, again.trace]).toEqual(['[A] greeting !A1', '[A] diagnose !A1']);
  });

  test('B06: the agent may speak first', async () => {
    const [conversation, turn] = await Conversation.open(it, select('A1'));
    expect(turn).toMatchObject({ trace: '[A] greeting !A1', retrieved: ['greeting'] });
    expect(conversation.asked('engage')).not.toHaveProperty('message');
  });

  test('B16: after two answers that are not an option, the first action is taken', async () => {
    const turn = await Conversation.start(it).say('hello', select('A7'), select('shrug'));
    expect(turn).toMatchObject({
      trace: '[A] greeting !A1',
      transitions: [],
      refusals: ['A7 at greeting', 'shrug at greeting'],
    });
  });

  test('B25: active memory is retrieved when a state becomes active, unless the state skips it', async () => {
    const [greeting, ...others] = [...(it['states'] as readonly object[])];
    const skipping = {
      ...it,
      states: [{ ...greeting, skip_active_memory_retrieval: true }, ...others],
    };
    const conversation = Conversation.start(skipping as never);
    const retrieved = [
      await conversation.say('hi', select('A1')),
      await conversation.say('vpn', select('E1'), select('A1')),
      await conversation.say('still down', select('A2')),
    ].map((turn) => turn.retrieved);
    expect(retrieved).toEqual([[], ['diagnose'], ['diagnose']]);
  });

  test('B31: a graph of one state continues indefinitely, and asks for no selection', async () => {
    const conversation = Conversation.start(graphOf(action('only', ['Chat'])));
    const turns = [await conversation.say('a'), await conversation.say('b')];
    expect(turns.map(({ trace }) => trace)).toEqual(['[A] only !A1', '[A] only !A1']);
    expect([conversation.isOver, conversation.count('select')]).toEqual([false, 0]);
  });

  test('B33: a change of topic is handled within the state', async () => {
    const conversation = Conversation.start(engage);
    const turn = await conversation.say('something else', select('A3'));
    expect(turn.trace).toBe('[A] engage_client_on_in_scope_topic !A3');
    expect(conversation.asked('select')['prompt']).toContainEqual({
      title: 'The states',
      text: expect.stringContaining(
        'How to move:\nWhen the client introduces a new topic, handle it within this state',
      ) as string,
      constant: true,
    });
  });
});

const throughHistory = (option: string): Answer[] => [
  select('E1'),
  reflect(),
  decide(option),
  select('A1'),
];
const history =
  '[A] greeting -> [C] recall_user_history -> [R] analyze_symptoms -> [D] route_issue';

describe('the hidden states between two action states', () => {
  test('B07: recall, reflection and decision lead to one message', async () => {
    const conversation = Conversation.start(all);
    const turn = await conversation.say('my mouse died', ...throughHistory('E2'));
    expect(turn).toMatchObject({
      trace: `${history} -> [A] hardware_support !A1`,
      performed: [['previous issues', 'devices']],
      retrieved: ['greeting', 'hardware_support'],
    });
    expect(conversation.context.knowledge.thoughts).toEqual([
      { state: 'analyze_symptoms', text: 'Hm.', at: 2 },
    ]);
    expect(conversation.count('engage')).toBe(1);
  });

  test('B08: an annotation adds its thought without asking a model', async () => {
    const conversation = Conversation.start(all);
    const turn = await conversation.say('cannot work', select('E2'), decide('E3'), select('A1'));
    expect(turn.trace).toBe(
      '[A] greeting -> [N] set_urgency_context -> [D] route_issue -> [A] general_support !A1',
    );
    expect(conversation.context.knowledge.thoughts).toEqual([
      { state: 'set_urgency_context', text: 'Note set_urgency_context', at: 2 },
    ]);
  });

  test('B09: a tool-call state calls its tool once, and the result is kept', async () => {
    const conversation = Conversation.start(all);
    conversation.tool(() => 'account 42');
    const turn = await conversation.say(
      'locked out',
      select('E1'),
      reflect(),
      decide('E1'),
      prepare({ email: 'u@example.com' }),
      select('A1'),
    );
    expect(turn).toMatchObject({
      trace: `${history} -> [T] lookup_user_account -> [A] account_support !A1`,
      effects: [['tool', { email: 'u@example.com' }]],
    });
    expect(conversation.context.knowledge.results).toEqual([
      { tool: '0123456789abcdef01234567', text: 'account 42' },
    ]);
  });

  test('B10: queries are not repeated, and the recall is skipped', async () => {
    const conversation = Conversation.start(
      graphOf(...allStates({ hardwareExit: 'recall_user_history' })),
    );
    await conversation.say('mouse', ...throughHistory('E2'));
    const turn = await conversation.say(
      'else',
      select('E2'),
      reflect(),
      decide('E3'),
      select('A1'),
    );
    expect(turn).toMatchObject({
      trace:
        '[A] hardware_support -> [C] recall_user_history -> [R] analyze_symptoms -> [D] route_issue -> [A] general_support !A1',
      performed: [[]],
    });
    expect(conversation.count('recall')).toBe(1);
  });

  test('B11: each query that a model writes is performed once', async () => {
    const worded = {
      hardwareExit: 'recall_user_history',
      queries: { requested_information: 'What they have' },
    };
    const conversation = Conversation.start(graphOf(...allStates(worded)));
    const first = await conversation.say(
      'mouse',
      select('E1'),
      queries('device setup', 'device setup', ' past tickets '),
      reflect(),
      decide('E2'),
      select('A1'),
    );
    const second = await conversation.say(
      'other',
      select('E2'),
      queries('past tickets', 'last login'),
      reflect(),
      decide('E3'),
      select('A1'),
    );
    expect([first.performed, second.performed]).toEqual([
      [['device setup', 'past tickets']],
      [['last login']],
    ]);
  });

  test('of the queries that a model writes, the first 20 are performed, each cut to 500 characters', async () => {
    const worded = {
      hardwareExit: 'recall_user_history',
      queries: { requested_information: 'What they have' },
    };
    const conversation = Conversation.start(graphOf(...allStates(worded)));
    const written = Array.from({ length: 21 }, (_, index) => `${index} ${'x'.repeat(500)}`);
    const turn = await conversation.say(
      'mouse',
      select('E1'),
      queries(...written),
      reflect(),
      decide('E2'),
      select('A1'),
    );
    expect(turn.performed).toEqual([written.slice(0, 20).map((query) => query.slice(0, 500))]);
  });

  test('B27: a safety exit ends the conversation from any state that has one', async () => {
    const conversation = Conversation.start(all);
    await conversation.say('mouse', ...throughHistory('E2'));
    const turn = await conversation.say('stop now', select('E3'));
    expect([turn.trace, conversation.isOver]).toEqual([
      '[A] hardware_support -> [A] wrap_up !A1',
      true,
    ]);
  });

  test('B28: a decision with one exit and no tools asks no model', async () => {
    const single = graphOf(
      action('hub', ['Talk', 'Ask'], [exit('think'), exit('end')]),
      reflection('think', 'pick'),
      decision('pick', [exit('hub')]),
      action('end', ['Say goodbye']),
    );
    const conversation = Conversation.start(single);
    const turn = await conversation.say('hm', select('E1'), reflect(), select('A1'));
    expect(turn.trace).toBe('[A] hub -> [R] think -> [D] pick -> [A] hub !A1');
    expect(turn.transitions).toContainEqual({
      type: 'decision',
      from: 'pick',
      to: 'hub',
      exit: 'E1',
      automatic: true,
    });
    expect(conversation.count('decide')).toBe(0);
  });

  test('B29: a side effect emits its event once', async () => {
    const effect = { type: 'emit-event', event_name: 'order_confirmed' };
    const conversation = Conversation.start(
      graphOf(
        action('ask', ['Ask', 'Explain'], [exit('fire')]),
        sideEffect('fire', 'done', effect),
        action('done', ['Say goodbye']),
      ),
    );
    const turn = await conversation.say('yes', select('E1'));
    expect(turn).toMatchObject({
      trace: '[A] ask -> [S] fire -> [A] done !A1',
      effects: [['effect', 'order_confirmed']],
    });
    expect(conversation.isOver).toBe(true);
  });

  test("B30: the seed's check-in reflects before it decides", async () => {
    const turn = await Conversation.start(med).say(
      'a bit of pressure',
      select('E2'),
      reflect(),
      decide('E2'),
      select('A1'),
    );
    expect(turn.trace).toBe(
      '[A] check_chest_pain -> [R] reflect_on_session_data -> [D] determine_exercise_clearance -> [A] summarize_recommendations_disqualified !A1',
    );
  });

  test('B32: states keyed by name behave like a list of states', async () => {
    const keyed = Object.fromEntries(
      allStates().map(({ name, ...state }) => [name as string, state]),
    );
    const turn = await Conversation.start({ ...all, states: keyed }).say(
      'my mouse died',
      ...throughHistory('E2'),
    );
    expect(turn.trace).toBe(`${history} -> [A] hardware_support !A1`);
  });
});

describe('answers that are not an exit', () => {
  const untilDecision = (...answers: Answer[]): Answer[] => [select('E1'), reflect(), ...answers];

  test('B12: the model is asked once more', async () => {
    const turn = await Conversation.start(all).say(
      'x',
      ...untilDecision(decide('E9'), decide('E3'), select('A1')),
    );
    expect(turn).toMatchObject({
      trace: `${history} -> [A] general_support !A1`,
      refusals: ['E9 at route_issue'],
    });
  });

  test('B13: after the second wrong answer the latest action state speaks, with its exits masked', async () => {
    const conversation = Conversation.start(all);
    const turn = await conversation.say(
      'x',
      ...untilDecision(decide('billing_desk'), decide('none'), select('A2')),
    );
    expect(turn.trace).toBe(`${history} -> [A] greeting !A2`);
    expect(turn.transitions.at(-1)).toEqual({
      type: 'fallback',
      from: 'route_issue',
      to: 'greeting',
    });
    expect(conversation.asked('select')['options']).toEqual([
      { id: 'A1', description: 'Say hello' },
      { id: 'A2', description: 'Ask what is wrong' },
    ]);
    expect(turn.retrieved).toEqual(['greeting']);
  });

  test('B14: a state name is an answer only if an exit of this state leads there', async () => {
    const turn = await Conversation.start(all).say(
      'x',
      ...untilDecision(decide('wrap_up'), decide('hardware_support'), select('A1')),
    );
    expect(turn).toMatchObject({
      trace: `${history} -> [A] hardware_support !A1`,
      refusals: ['wrap_up at route_issue'],
    });
    expect(turn.transitions.at(-1)).toMatchObject({ exit: 'E2' });
  });

  test('B15: a masked exit is not an option', async () => {
    const turn = await Conversation.start(all).say(
      'x',
      ...untilDecision(decide('?'), decide('?'), select('E1'), select('A1')),
    );
    expect(turn.trace).toBe(`${history} -> [A] greeting !A1`);
    expect(turn.refusals.at(-1)).toBe('E1 at greeting');
  });

  test('a target that several exits share is an answer, and the first exit is recorded', async () => {
    const conversation = Conversation.start(it);
    await conversation.say('vpn', select('diagnose'), select('A1'));
    const turn = await conversation.say('done', select('wrap_up'));
    expect(turn.transitions).toMatchObject([{ to: 'wrap_up', exit: 'E1' }]);
  });

  test('with onNoExit "last-exit" the last exit is taken', async () => {
    const conversation = Conversation.start(all, { onNoExit: 'last-exit' });
    const turn = await conversation.say(
      'x',
      ...untilDecision(decide('?'), decide('?'), select('A1')),
    );
    expect(turn.trace).toBe(`${history} -> [A] general_support !A1`);
    expect(turn.transitions.at(-1)).toMatchObject({ exit: 'E3' });
  });

  test('with onNoExit "error" the turn is void', async () => {
    const conversation = Conversation.start(all, { onNoExit: 'error' });
    const turn = await conversation.say('x', ...untilDecision(decide('?'), decide('?')));
    expect(turn.failed).toBe('The model named no exit of "route_issue".');
    expect(conversation.context).toMatchObject({ state: 'greeting', traversal: null });
  });
});

describe('limits of a turn', () => {
  const round = (option: string): Answer[] => [reflect(), decide(option)];
  const thinking = '[R] think -> [D] pick';

  test('B17: the fourth visit of a state is refused', async () => {
    const turn = await Conversation.start(loop).say(
      'hm',
      select('E1'),
      ...round('E1'),
      ...round('E1'),
      ...round('E1'),
      select('A2'),
    );
    expect(turn.trace).toBe(`[A] hub -> ${thinking} -> ${thinking} -> ${thinking} -> [A] hub !A2`);
    expect(turn.transitions.slice(-2)).toEqual([
      { type: 'decision', from: 'pick', to: 'think', exit: 'E1', refused: true },
      { type: 'fallback', from: 'pick', to: 'hub' },
    ]);
  });

  test('B18: the fourth visit of an action state is refused too, and it becomes the fallback', async () => {
    const there: Answer[] = [select('E1'), ...round('E2')];
    const turn = await Conversation.start(loop).say(
      'hm',
      ...there,
      ...there,
      ...there,
      select('A1'),
    );
    expect(turn.trace).toBe(
      `[A] hub -> ${thinking} -> [A] hub -> ${thinking} -> [A] hub -> ${thinking} -> [A] hub !A1`,
    );
    expect(turn.retrieved).toEqual(['hub']);
  });

  test('B19: the number of transitions is limited', async () => {
    const conversation = Conversation.start(loop, { maxTransitionsPerTurn: 3 });
    const turn = await conversation.say(
      'hm',
      select('E1'),
      ...round('E1'),
      reflect(),
      select('A1'),
    );
    expect(turn.trace).toBe(`[A] hub -> ${thinking} -> [R] think -> [A] hub !A1`);
    expect(turn.transitions.slice(-2)).toEqual([
      { type: 'reflection', from: 'think', to: 'pick', refused: true },
      { type: 'fallback', from: 'think', to: 'hub' },
    ]);
  });

  test('thoughts before a fallback are kept', async () => {
    const conversation = Conversation.start(loop, { maxTransitionsPerTurn: 3 });
    await conversation.say('hm', select('E1'), ...round('E1'), reflect('Two.'), select('A1'));
    expect(conversation.context.knowledge.thoughts.map(({ text }) => text)).toEqual([
      'Hm.',
      'Two.',
    ]);
  });

  test('with onLimit "error" a turn that exceeds a limit is void', async () => {
    const conversation = Conversation.start(loop, { maxTransitionsPerTurn: 1, onLimit: 'error' });
    const turn = await conversation.say('hm', select('E1'), reflect());
    expect(turn.failed).toBe(
      'The turn has gone as far as it may: "think" cannot lead to "pick" any more.',
    );
    expect(conversation.context.knowledge.thoughts).toEqual([]);
  });

  test('the limits start again in each turn', async () => {
    const conversation = Conversation.start(loop, { maxTransitionsPerTurn: 3 });
    for (let turn = 0; turn < 3; turn += 1) {
      const { trace } = await conversation.say('hm', select('E1'), ...round('E2'), select('A1'));
      expect(trace).toBe(`[A] hub -> ${thinking} -> [A] hub !A1`);
    }
  });
});

describe('referenced graphs', () => {
  test('B20: a call passes through the other graph, ends there silently, and jumps back', async () => {
    const conversation = Conversation.start(parent(), withIntake);
    const traces: string[] = [];
    const jumpbacks: string[][] = [];
    for (const answers of [['E1', 'A1'], ['E1', 'A1'], ['E1', 'A1'], ['E1']]) {
      const turn = await conversation.say('so', ...answers.map(select));
      traces.push(turn.trace);
      jumpbacks.push([...conversation.jumpbacks]);
    }
    expect(traces).toEqual([
      '[A] open_desk -> [A] intake.ask_name !A1',
      '[A] intake.ask_name -> [A] intake.ask_dob !A1',
      '[A] intake.ask_dob -> [A] intake.intake_done -> [A] pick_slot !A1',
      '[A] pick_slot -> [A] close_desk !A1',
    ]);
    expect(jumpbacks).toEqual([['pick_slot'], ['pick_slot'], [], []]);
    expect(conversation.isOver).toBe(true);
  });

  test('B20 with childTerminal "speak": the last words of the other graph are answered before the jumpback', async () => {
    const conversation = Conversation.start(parent(), { ...withIntake, childTerminal: 'speak' });
    const traces: string[] = [];
    for (const answers of [['E1', 'A1'], ['E1', 'A1'], ['E1'], ['A1'], ['E1']]) {
      traces.push((await conversation.say('so', ...answers.map(select))).trace);
    }
    expect(traces).toEqual([
      '[A] open_desk -> [A] intake.ask_name !A1',
      '[A] intake.ask_name -> [A] intake.ask_dob !A1',
      '[A] intake.ask_dob -> [A] intake.intake_done !A1',
      '[A] intake.intake_done -> [A] pick_slot !A1',
      '[A] pick_slot -> [A] close_desk !A1',
    ]);
    expect(conversation.isOver).toBe(true);
  });

  test('B21: a call may jump back to its own state', async () => {
    const conversation = Conversation.start(parent(), withIntake);
    await conversation.say('a', select('E1'), select('A1'));
    await conversation.say('b', select('E1'), select('E1'), select('A1'));
    const turn = await conversation.say('wrong name', select('E2'), select('A1'));
    expect(turn.trace).toBe('[A] pick_slot -> [A] intake.ask_name !A1');
    expect(conversation.jumpbacks).toEqual(['pick_slot']);
  });

  test('B22: a call of the terminal state returns at once, without a message', async () => {
    const conversation = Conversation.start(parent('intake.intake_done > pick_slot'), withIntake);
    const turn = await conversation.say('so', select('E1'), select('A1'));
    expect(turn).toMatchObject({
      trace: '[A] open_desk -> [A] intake.intake_done -> [A] pick_slot !A1',
      retrieved: ['open_desk', 'pick_slot'],
    });
  });

  test('B23: a jumpback may be a hidden state', async () => {
    const note = {
      type: 'annotation',
      name: 'note',
      inner_thought: 'Known.',
      next_state: 'pick_slot',
    };
    const conversation = Conversation.start(parent('intake.ask_dob > note', note), withIntake);
    await conversation.say('so', select('E1'), select('A1'));
    const turn = await conversation.say('1 Feb', select('E1'), select('A1'));
    expect(turn.trace).toBe(
      '[A] intake.ask_dob -> [A] intake.intake_done -> [N] note -> [A] pick_slot !A1',
    );
  });

  test('B24: calls nest, and each jumpback ends one', async () => {
    const conversation = Conversation.start(parent(), {
      graphs: { intake: childWithSpelling, spell },
    });
    const traces: string[] = [];
    const jumpbacks: string[][] = [];
    for (const option of ['E1', 'E2', 'E1', 'E1']) {
      traces.push((await conversation.say('so', select(option), select('A1'))).trace);
      jumpbacks.push([...conversation.jumpbacks]);
    }
    expect(traces).toEqual([
      '[A] open_desk -> [A] intake.ask_name !A1',
      '[A] intake.ask_name -> [A] spell.spell_it !A1',
      '[A] spell.spell_it -> [A] spell.spelled -> [A] intake.ask_dob !A1',
      '[A] intake.ask_dob -> [A] intake.intake_done -> [A] pick_slot !A1',
    ]);
    expect(jumpbacks).toEqual([['pick_slot'], ['pick_slot', 'intake.ask_dob'], ['pick_slot'], []]);
  });

  test('each graph uses only its own globals', async () => {
    const conversation = Conversation.start(parent(), withIntake);
    const manner = () =>
      (conversation.asked('engage')['prompt'] as { title: string; text: string }[]).find(
        ({ title }) => title === 'How to speak',
      )?.text;
    await conversation.say('so', select('A1'));
    const outside = manner();
    await conversation.say('so', select('E1'), select('A1'));
    expect([outside, manner()]).toEqual(['Sound like a front desk', 'Collect one field at a time']);
  });

  test('a fallback returns to the graph that the turn has left', async () => {
    const conversation = Conversation.start(parent('intake.ask_dob > pick_slot'), {
      ...withIntake,
      maxTransitionsPerTurn: 1,
    });
    await conversation.say('so', select('E1'), select('A1'));
    const turn = await conversation.say('1 Feb', select('E1'), select('A2'));
    expect(turn.trace).toBe(
      '[A] intake.ask_dob -> [A] intake.intake_done -> [A] intake.ask_dob !A2',
    );
    expect(conversation.jumpbacks).toEqual(['pick_slot']);
  });
});

describe('a turn that fails', () => {
  test('B26: commits nothing, and a retry continues at the failed call', async () => {
    const conversation = Conversation.start(all);
    const { state, knowledge } = conversation.context;
    const failed = await conversation.say('mouse', select('E1'), reflect(), decide('THROW'));
    expect(failed.failed).toContain('model error');
    expect(conversation.context).toMatchObject({ state, knowledge, message: 'mouse' });
    const turn = await conversation.say('mouse', decide('E2'), select('A1'));
    expect(turn).toMatchObject({
      trace: `${history} -> [A] hardware_support !A1`,
      performed: [['previous issues', 'devices']],
    });
  });

  test('inside a referenced graph, a retry continues there', async () => {
    const conversation = Conversation.start(parent(), withIntake);
    await conversation.say('so', select('E1'), select('A1'));
    const { state, knowledge } = conversation.context;
    await conversation.say('Ann', select('E1'), select('THROW'));
    expect(conversation.context).toMatchObject({ state, knowledge });
    const turn = await conversation.say('Ann', select('A1'));
    expect(turn.trace).toBe('[A] intake.ask_name -> [A] intake.ask_dob !A1');
  });

  test('triggers no side effect', async () => {
    const effect = { type: 'emit-event', event_name: 'order_confirmed' };
    const conversation = Conversation.start(
      graphOf(
        action('ask', ['Ask'], [exit('fire'), exit('done')]),
        sideEffect('fire', 'more', effect),
        action('more', ['Go on', 'Ask'], [exit('done')]),
        action('done', ['Say goodbye']),
      ),
    );
    const failed = await conversation.say('yes', select('E1'), select('THROW'));
    const turn = await conversation.say('yes', select('A1'));
    expect([failed.effects, turn.effects]).toEqual([[], [['effect', 'order_confirmed']]]);
  });
});

describe('tools', () => {
  const lookup = (persistence: string, more = {}) =>
    graphOf(
      action('ask', ['Ask', 'Wait'], [exit('look')]),
      toolCall('look', 'tell', persistence, more),
      action('tell', ['Tell', 'Ask back'], [exit('end')]),
      action('end', ['Say goodbye']),
    );

  test.each([
    ['persisted-preferred', 4_999, true],
    ['persisted-preferred', 5_000, false],
    ['persisted-preferred', 5_001, false],
    ['persisted', 4_999, true],
    ['persisted', 5_000, true],
    ['ephemeral', 10, false],
  ])('B34: a %s result of %d characters is kept: %s', async (persistence, length, isKept) => {
    const conversation = Conversation.start(lookup(persistence));
    conversation.tool(() => 'x'.repeat(length));
    await conversation.say('so', select('E1'), prepare({}), select('A1'));
    expect(conversation.context.knowledge.results).toHaveLength(isKept ? 1 : 0);
  });

  test('B34: a persisted result of 5,001 characters voids the turn', async () => {
    const conversation = Conversation.start(lookup('persisted'));
    conversation.tool(() => 'x'.repeat(5_001));
    const turn = await conversation.say('so', select('E1'), prepare({}));
    expect(turn.failed).toBe(
      'The result of "0123456789abcdef01234567" has 5001 characters; a persisted one may have 5000.',
    );
    expect(conversation.context.state).toBe('ask');
  });

  test('B35: the failure of a tool is recorded as its result', async () => {
    const conversation = Conversation.start(lookup('persisted'));
    conversation.tool(() => {
      throw new Error('no such user');
    });
    const turn = await conversation.say('so', select('E1'), prepare({}), select('A1'));
    expect(turn.trace).toBe('[A] ask -> [T] look -> [A] tell !A1');
    expect(conversation.context.knowledge.results[0]?.text).toContain('no such user');
  });

  test('with onToolError "abort-turn" the failure of a tool fails the turn', async () => {
    const conversation = Conversation.start(lookup('persisted'), { onToolError: 'abort-turn' });
    conversation.tool(() => {
      throw new Error('no such user');
    });
    const turn = await conversation.say('so', select('E1'), prepare({}));
    expect(turn.failed).toContain('no such user');
  });

  test('arguments that fail a validation are built once more, and then the call is cancelled', async () => {
    const strict = { designated_tool_call_validations: ['The address is one'] };
    const wrong: Answer = [
      'prepare',
      { arguments: { email: 'x' }, failed_validations: ['The address is one'] },
    ];
    const mended = Conversation.start(lookup('persisted', strict));
    const turn = await mended.say(
      'so',
      select('E1'),
      wrong,
      prepare({ email: 'a@b.c' }),
      select('A1'),
    );
    expect(turn.effects).toEqual([['tool', { email: 'a@b.c' }]]);
    const givenUp = Conversation.start(lookup('persisted', strict));
    const without = await givenUp.say('so', select('E1'), wrong, wrong, select('A1'));
    expect(without).toMatchObject({ trace: '[A] ask -> [T] look -> [A] tell !A1', effects: [] });
    expect(givenUp.context.knowledge.results[0]?.text).toBe(
      'It was not called: The address is one',
    );
  });

  const withTools = graphOf(
    action('talk', ['Talk', 'Ask'], [exit('end')], {
      exit_condition_tool_call_specs: [tool('ephemeral')],
      action_tool_call_specs: [tool('persisted')],
    }),
    action('end', ['Say goodbye']),
  );
  const wish = { toolCalls: [{ name: '0123456789abcdef01234567', arguments: {} }] };
  const choosing: Answer = ['select', { option: '', ...wish }];

  test('only the current question sees an ephemeral result', async () => {
    const conversation = Conversation.start(withTools);
    conversation.tool(() => 'found it');
    await conversation.say('so', choosing, select('A1'));
    const sees = (what: string) => JSON.stringify(conversation.asked(what)).includes('found it');
    expect([sees('select'), sees('engage')]).toEqual([true, false]);
  });

  test('a model that keeps asking for tools is offered none any more', async () => {
    const conversation = Conversation.start(withTools);
    const again = Array.from({ length: 4 }, () => choosing);
    const turn = await conversation.say('so', ...again, select('A2'));
    expect([turn.trace, conversation.count('tool')]).toEqual(['[A] talk !A2', 4]);
    expect(conversation.asked('select')).not.toHaveProperty('tools');
  });

  test('of the tools that one answer asks for, the first eight are called', async () => {
    const conversation = Conversation.start(withTools);
    const toolCalls = Array.from({ length: 9 }, (_, n) => ({
      ...wish.toolCalls[0]!,
      arguments: { n },
    }));
    const turn = await conversation.say('so', ['select', { option: '', toolCalls }], select('A2'));
    expect(turn.effects).toEqual(Array.from({ length: 8 }, (_, n) => ['tool', { n }]));
  });

  test('a message that needs a tool is written once the result has arrived', async () => {
    const conversation = Conversation.start(withTools);
    conversation.tool(() => 'Monday');
    const turn = await conversation.say(
      'so',
      select('A1'),
      ['engage', { text: '', ...wish }],
      ['engage', { text: 'It is Monday.' }],
    );
    expect([turn.trace, conversation.context.knowledge.results]).toEqual([
      '[A] talk !A1',
      [{ tool: '0123456789abcdef01234567', text: 'Monday' }],
    ]);
  });
});

describe('idempotency keys', () => {
  test('no two calls of a conversation share a key, except a failed call and its retry', async () => {
    const conversation = Conversation.start(all);
    await conversation.say('mouse', select('E1'), reflect(), decide('THROW'));
    await conversation.say('mouse', decide('?'), decide('E2'), select('A1'));
    await conversation.say('more', select('A2'));
    const { keys } = conversation;
    const twice = keys.filter((key, index) => keys.indexOf(key) !== index);
    expect(twice).toEqual(['conversation/1/route_issue/decide/5']);
  });
});
