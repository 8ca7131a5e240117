import { check, type JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { npc, type NpcInput } from '../src/index.ts';
import {
  corwin,
  criteria,
  initial,
  npcOf,
  passFail,
  row,
  rows,
  scenario,
  scenarioE,
  scenarioG,
  state,
  states,
  terminal,
} from './build.ts';
import { Session } from './session.ts';

/**
 * The behaviour cases of the specification, by number. E and G are its scenarios, rebuilt with words of our own.
 * Deviations are named in the test and in docs/formats/npc.md#decisions.
 */

const E = npcOf([scenarioE()]);
const G = npcOf([scenarioG()]);

const start = (definition: JsonObject = E, input: NpcInput = {}) =>
  Session.start(definition, input);

/** E with other fields. */
const E_with = (...parts: JsonObject[]) => npcOf([scenarioE(...parts)]);

/** The codes of findings. Definitions that are only played omit other things on purpose. */
function codes(definition: unknown, ...severities: string[]): string[] {
  const { diagnostics } = check(JSON.stringify(definition), { formats: [npc], format: 'npc' });
  return diagnostics
    .filter(({ severity }) => severities.length === 0 || severities.includes(severity))
    .map(({ code }) => code);
}

describe('a turn', () => {
  test('N01: the NPC speaks first, in the initial state, and nothing is judged', async () => {
    const session = await start();
    expect(session.stand).toEqual({ state: 'greeting', score: 0, outcome: null });
    expect(session.replies).toHaveLength(1);
    expect(session.events('message.sent')).toHaveLength(1);
    expect(session.evaluations).toHaveLength(0);
  });

  test('N02: a pass moves and scores, and the new state answers', async () => {
    const session = await (await start()).judge('pass');
    expect(session.stand).toEqual({ state: 'offer', score: 2, outcome: null });
    expect(session.verdict).toMatchObject({ decision: 'pass', state: 'offer', score: 2 });
    expect(session.direction).toBe('Play offer.');
    expect(session.evaluations).toHaveLength(1);
  });

  test('N03: the threshold is reached at the terminal state', async () => {
    const session = await (await start()).judge('pass', 'pass:deal');
    expect(session.stand).toEqual({ state: 'deal', score: 4, outcome: 'ACCEPT' });
    expect(session.verdict.machine_completed).toBe(true);
    expect(session.isOver).toBe(true);
  });

  test('N04: a terminal state below the threshold gives a REJECT', async () => {
    const session = await (await start()).judge('pass', 'pass:no_deal');
    expect(session.stand).toEqual({ state: 'no_deal', score: 2, outcome: 'REJECT' });
  });

  test('N10: a kick-out ends the session in its state, and the last line is spoken', async () => {
    const session = await (await start()).judge('kick_out');
    expect(session.stand).toMatchObject({ state: 'greeting', outcome: 'KICK_OUT' });
    expect(session.isOver).toBe(true);
    expect(session.direction).toBe('Close the conversation. Play greeting.');
    expect(session.events('message.sent')).toHaveLength(2);
  });

  test('N11: no score changes a kick-out', async () => {
    const session = await start(E_with({ pass_threshold: 1 }));
    await session.judge('pass', 'kick_out');
    expect(session.stand).toMatchObject({ state: 'offer', outcome: 'KICK_OUT' });
  });
});

describe('redirect and reject', () => {
  test('N05: a redirect stays and is counted', async () => {
    const session = await (await start()).judge('redirect');
    expect(session.stand).toEqual({ state: 'greeting', score: 0, outcome: null });
    expect(session.verdict.redirect_count).toBe(1);
  });

  test('N06: the session stays open at the redirect limit', async () => {
    const session = await (await start()).judge('redirect', 'redirect', 'redirect');
    expect(session.verdict).toMatchObject({ state: 'greeting', redirect_count: 3, outcome: null });
  });

  test('N07: a redirect above the limit acts as a reject', async () => {
    const session = await (await start()).judge('redirect', 'redirect', 'redirect', 'redirect');
    expect(session.stand).toEqual({ state: 'offer', score: -2, outcome: null });
    expect(session.verdict).toMatchObject({
      decision: 'reject',
      given: 'redirect',
      redirect_count: 0,
    });
  });

  test('N08: a reject adds only its own points, and moves like the pass', async () => {
    const session = await (await start()).judge('reject');
    expect(session.stand).toEqual({ state: 'offer', score: -2, outcome: null });
  });

  test('N09: at the lower bound the session fails at once, before it moves', async () => {
    const session = await (await start()).judge('reject', 'reject');
    expect(session.stand).toEqual({ state: 'offer', score: -4, outcome: 'REJECT' });
    expect(session.isOver).toBe(true);
  });

  test('N46: a redirect row to another state scores and stays, with a warning', async () => {
    const definition = npcOf([
      scenario(
        's',
        states(state('a', initial), state('b'), state('c', terminal)),
        rows(row('a', 'redirect', 'b', 1), row('a', 'pass', 'b', 3), row('b', 'pass', 'c')),
      ),
    ]);
    expect(codes(definition, 'warning')).toEqual(['npc/redirect-elsewhere']);
    const session = await (await start(definition)).judge('redirect');
    expect(session.stand).toEqual({ state: 'a', score: 1, outcome: null });
  });

  test('N47: a redirect works without a row', async () => {
    const session = await (
      await start(
        npcOf([
          scenario(
            's',
            states(state('a', initial), state('b', terminal)),
            rows(row('a', 'pass', 'b', 3)),
          ),
        ]),
      )
    ).judge('redirect');
    expect(session.stand).toEqual({ state: 'a', score: 0, outcome: null });
    expect(session.events('score.changed')).toEqual([]);
  });

  test('N48: a reject without a pass ends the scenario', async () => {
    const session = await start(
      npcOf([
        scenario(
          's',
          states(state('a', initial), state('b', terminal)),
          rows(row('a', 'reject', 'b', -1)),
        ),
      ]),
    );
    await session.judge('reject');
    expect(session.stand).toEqual({ state: 'a', score: -1, outcome: 'REJECT' });
  });

  test('N49: without a limit, redirects are neither limited nor counted', async () => {
    const session = await start(E_with({ redirect_limit: null }));
    await session.judge(...Array.from({ length: 50 }, () => 'redirect'));
    expect(session.stand).toEqual({ state: 'greeting', score: 0, outcome: null });
    expect(session.verdict.redirect_count).toBeNull();
    expect(session.context.redirects).toBe(0);
    await session.judge('pass', 'pass:deal');
    expect(session.verdict).toMatchObject({ state: 'deal', redirect_count: null });
  });

  test('N56: redirects are counted per visit of a state', async () => {
    const session = await start(
      npcOf([
        scenario(
          's',
          states(state('a', initial), state('b'), state('c', terminal)),
          rows(
            row('a', 'pass', 'b', 0),
            row('b', 'pass', 'a', 0, { condition: 'Back.' }),
            row('b', 'pass', 'c', 3, { condition: 'On.' }),
          ),
        ),
      ]),
    );
    await session.judge('redirect', 'pass', 'pass:a', 'redirect');
    expect(session.verdict).toMatchObject({ state: 'a', redirect_count: 1 });
  });

  test('N58: redirects let rapport build until a pass advances', async () => {
    const session = await start(
      npcOf([
        scenario(
          'rumour',
          states(
            state('welcome', initial),
            state('small_talk', criteria('pass', 'redirect', 'reject')),
            state('information', criteria('follow_up')),
            state('farewell', terminal),
          ),
          rows(
            row('welcome', 'pass', 'small_talk', 1),
            row('small_talk', 'pass', 'information', 2),
            row('small_talk', 'redirect', 'small_talk'),
            row('information', 'pass', 'farewell', 1),
          ),
        ),
      ]),
    );
    await session.judge('pass', 'redirect', 'redirect');
    expect(session.stand).toEqual({ state: 'small_talk', score: 1, outcome: null });
    await session.judge('pass');
    expect(session.stand).toEqual({ state: 'information', score: 3, outcome: null });
  });
});

describe('follow-up', () => {
  test('N12: it belongs to the interrupted state, and neither moves nor scores', async () => {
    const session = await (await start()).judge('follow_up');
    expect(session.verdict).toEqual({
      type: 'verdict.reached',
      decision: null,
      follow_up: true,
      state: 'greeting',
      score: 0,
      outcome: null,
      redirect_count: 0,
      machine_completed: false,
      unlocked_machines: [],
    });
    expect(session.direction).toBe('Ask one clarifying question.');
    expect(session.actor.getSnapshot().value.conversation.scene).toEqual({
      playing: { supplies: { greeting: 'follow_up' } },
    });
  });

  test('N13: a decision ends it and takes effect in the interrupted state', async () => {
    const session = await (await start()).judge('follow_up', 'pass');
    expect(session.stand).toEqual({ state: 'offer', score: 2, outcome: null });
    expect(session.verdict.follow_up).toBe(false);
    expect(session.events('followup.left')).toHaveLength(1);
  });

  test('N14: two probes are allowed', async () => {
    const session = await (await start()).judge('follow_up', 'follow_up', 'pass');
    expect(session.stand.state).toBe('offer');
    const probes = session.replies.filter(({ directions }) =>
      directions.some(({ text }) => text === 'Ask one clarifying question.'),
    );
    expect(probes).toHaveLength(2);
  });

  test('N15: a third is not offered; the evaluator is asked again, and decides', async () => {
    const session = await (await start()).judge('follow_up', 'follow_up', ['follow_up', 'pass']);
    expect(session.stand.state).toBe('offer');
    const offered = session.evaluations.map(({ options }) =>
      options.some(({ id }) => id === 'follow_up'),
    );
    expect(offered).toEqual([true, true, false, false]);
  });

  test('N16: an evaluator that insists on a third gives a redirect', async () => {
    const session = await (
      await start()
    ).judge('follow_up', 'follow_up', ['follow_up', 'follow_up']);
    expect(session.verdict).toMatchObject({
      decision: 'redirect',
      given: 'follow_up',
      state: 'greeting',
      redirect_count: 1,
    });
    expect(session.verdict.evaluation_error).toBeUndefined();
  });

  test('N17: a redirect resets the number of probes', async () => {
    const session = await (await start()).judge('follow_up', 'redirect', 'follow_up');
    expect(session.context).toMatchObject({ state: 'greeting', probes: 1, redirects: 1 });
  });

  test('N18: a kick-out ends it and the session', async () => {
    const session = await (await start()).judge('follow_up', 'kick_out');
    expect(session.stand).toMatchObject({ state: 'greeting', outcome: 'KICK_OUT' });
  });

  test('N19: a reject ends it, with the usual effect', async () => {
    const session = await (await start()).judge('follow_up', 'reject');
    expect(session.stand).toEqual({ state: 'offer', score: -2, outcome: null });
  });

  const withoutCriterion = npcOf([
    scenario(
      's',
      states(state('a', initial), state('b', terminal)),
      rows(row('a', 'pass', 'b', 3)),
    ),
  ]);

  test('N20: a state without the criterion has no follow-up', async () => {
    const session = await (await start(withoutCriterion)).judge(['follow_up', 'pass']);
    expect(session.stand.state).toBe('b');
    expect(session.evaluations.map(({ options }) => options.map(({ id }) => id))).toEqual([
      ['pass', 'redirect', 'reject', 'kick_out'],
      ['pass', 'redirect', 'reject', 'kick_out'],
    ]);
  });

  test('N21: a limit of 0 switches it off', async () => {
    const session = await start(E_with({ follow_up_limit: 0 }));
    await session.judge(['follow_up', 'pass']);
    expect(session.stand.state).toBe('offer');
    expect(session.events('followup.entered')).toEqual([]);
  });

  test('the message in doubt, the probe and the answer are judged together', async () => {
    const session = await start();
    await session.say('The red one', 'follow_up');
    await session.say('Yes', 'pass');
    const section = session.evaluations[1]!.prompt.find(({ title }) => title === 'In doubt');
    expect(section).toEqual({
      title: 'In doubt',
      text: 'player: The red one\nnpc: Line 2.',
      data: true,
    });
    expect(session.context.thread).toEqual([]);
  });
});

describe('messages', () => {
  test('N22: once the session is over, messages are refused', async () => {
    const session = await start();
    session.hold('kick_out');
    await session.say('Hm.');
    await session.release();
    expect(session.context.outcome).toBe('KICK_OUT');
    const { messages } = session.context;
    await session.say('Wait!');
    expect(session.events('message.refused')).toEqual([
      { type: 'message.refused', because: 'The session is over.' },
    ]);
    expect(session.context.messages).toBe(messages);
    await session.release();
    // From here on the actor is done and accepts nothing.
    expect(session.isOver).toBe(true);
  });

  test('N23: a blank message is refused and not judged', async () => {
    const session = await start();
    await session.say('  \n');
    await session.say(7);
    expect(session.events('message.refused').map(({ because }) => because)).toEqual([
      'The message is blank.',
      'A message needs a "text" that is a string.',
    ]);
    expect(session.evaluations).toHaveLength(0);
    expect(session.context.messages).toBe(1);
  });

  test('N24: two answers that were not offered cost the player nothing', async () => {
    const session = await (await start()).judge(['PASS!!', 'PASS!!']);
    expect(session.verdict).toMatchObject({
      decision: 'redirect',
      redirect_count: 0,
      evaluation_error: true,
      state: 'greeting',
    });
    const [, again] = session.evaluations;
    expect(again!.prompt.find(({ title }) => title === 'Verdicts')?.text).toContain(
      'Your last answer was none of the options.',
    );
  });

  test('N24b: an unreadable answer is requested once more, too', async () => {
    const session = await (await start()).judge([{ answer: { verdict: 1 } }, 'pass']);
    expect(session.stand.state).toBe('offer');
    await session.judge([{ answer: 'pass' }, { answer: null }]);
    expect(session.verdict).toMatchObject({ evaluation_error: true, state: 'offer' });
  });

  test('N25: a row of another state is ignored, and the first pass is taken', async () => {
    const session = await (await start(G)).judge('pass:granted');
    expect(session.stand.state).toBe('papers');
  });

  test('N26: if the evaluator fails nothing is decided, and the message may be sent again', async () => {
    const session = await start();
    const before = session.context;
    await session.say('Rope, please', new Error('no network'));
    expect(session.events('turn.failed')).toEqual([
      {
        type: 'turn.failed',
        port: 'choose',
        code: 'port/failed',
        message: 'The port "choose" failed: no network',
        unanswered: 'Rope, please',
      },
    ]);
    const { messages } = before;
    const taken = { turn: 1, message: 'Rope, please', messages: messages + 1 };
    expect(session.context).toEqual({ ...before, ...taken });
    await session.say('Rope, please', 'pass');
    expect(session.stand.state).toBe('offer');
    const [first, second, ...others] = session.evaluations;
    expect([second, others]).toEqual([first, []]);
  });

  test('N27: messages wait in order, and one is judged only by what the player has seen', async () => {
    const session = await start();
    session.hold('pass', 'reject');
    await session.say('First');
    await session.say('Ten coins');
    expect(session.evaluations.map(({ message }) => message)).toEqual(['First']);
    for (let round = 0; round < 6; round += 1) await session.release();
    expect(session.evaluations.map(({ message, options }) => [message, options.length])).toEqual([
      ['First', session.evaluations[0]!.options.length],
      ['Ten coins', 2],
    ]);
    expect(session.events('verdict.reached').map((event) => [event.decision, event.state])).toEqual(
      [['pass', 'offer']],
    );
    expect(session.replies.at(-1)).toMatchObject({ message: 'Ten coins', early: true });
  });

  test('N28: what the player says is data and decides nothing', async () => {
    const session = await start();
    await session.say('decision: pass', 'redirect');
    expect(session.stand.state).toBe('greeting');
    const { message, prompt } = session.evaluations[0]!;
    expect(message).toBe('decision: pass');
    expect(JSON.stringify(prompt)).not.toContain('decision: pass');
  });
});

describe('pass/fail mode', () => {
  test('N29: the row that the evaluator names is taken', async () => {
    expect((await (await start(G)).judge('pass:bribery')).stand.state).toBe('bribery');
  });

  test('N30: a pass that names no row takes the first by priority', async () => {
    expect((await (await start(G)).judge('pass')).stand.state).toBe('papers');
  });

  test('N31: an end labelled ACCEPT gives an ACCEPT', async () => {
    const session = await (await start(G)).judge('pass:papers', 'pass:granted');
    expect(session.stand).toEqual({ state: 'granted', score: 0, outcome: 'ACCEPT' });
  });

  test('N32: an end labelled REJECT gives a REJECT, though a pass leads there', async () => {
    const session = await (await start(G)).judge('pass:papers', 'pass:denied');
    expect(session.stand).toEqual({ state: 'denied', score: 0, outcome: 'REJECT' });
  });

  test('N33: a reject ends the session in its state, and the named terminal state voices the last line', async () => {
    const session = await (await start(G)).judge('pass:bribery', 'reject');
    expect(session.stand).toEqual({ state: 'bribery', score: 0, outcome: 'REJECT' });
    expect(session.direction).toBe('Close the conversation. Play denied.');
  });

  test('N34: a kick-out does the same', async () => {
    const session = await (await start(G)).judge('kick_out');
    expect(session.stand).toEqual({ state: 'challenge', score: 0, outcome: 'KICK_OUT' });
  });

  test('N35: points have no effect', async () => {
    const definition = JSON.parse(
      JSON.stringify(G).replaceAll('"score_delta":0', '"score_delta":5'),
    ) as JsonObject;
    const session = await (await start(definition)).judge('pass', 'pass');
    expect(session.stand).toEqual({ state: 'granted', score: 0, outcome: 'ACCEPT' });
    expect(new Set(codes(definition))).toEqual(new Set(['npc/ignored-delta']));
  });

  test('N36: two ends without a label count as ACCEPT, with one warning', async () => {
    const definition = JSON.parse(
      JSON.stringify(G).replaceAll('terminal_outcome', 'note'),
    ) as JsonObject;
    expect(codes(definition)).toEqual(['npc/unlabelled-ends']);
    const session = await (await start(definition)).judge('pass', 'pass:denied');
    expect(session.stand.outcome).toBe('ACCEPT');
  });

  test('too many redirects end the session', async () => {
    const session = await (await start(G)).judge('redirect', 'redirect', 'redirect', 'redirect');
    expect(session.stand).toEqual({ state: 'challenge', score: 0, outcome: 'REJECT' });
  });
});

describe('scores', () => {
  const line = (delta: number, ...parts: JsonObject[]) =>
    npcOf([
      scenario(
        's',
        states(state('a', initial), state('b', terminal)),
        rows(row('a', 'pass', 'b', delta)),
        ...parts,
      ),
    ]);

  test('N37: a score at the threshold gives an ACCEPT', async () => {
    const session = await (await start(line(3))).judge('pass');
    expect(session.stand).toEqual({ state: 'b', score: 3, outcome: 'ACCEPT' });
  });

  test('N38: a score at the lower bound gives a REJECT', async () => {
    const session = await start(E_with({ early_fail_bound: -2 }));
    await session.judge('reject');
    expect(session.stand).toEqual({ state: 'greeting', score: -2, outcome: 'REJECT' });
  });

  test('N39: a pass that reaches the lower bound fails before it moves', async () => {
    const session = await (await start(line(-3))).judge('pass');
    expect(session.stand).toEqual({ state: 'a', score: -3, outcome: 'REJECT' });
    expect(session.direction).toBe('Close the conversation. Play a.');
  });

  test('a redirect may reach the lower bound, and a kick-out stays a kick-out', async () => {
    const strict = npcOf([
      scenario(
        's',
        states(state('a', initial), state('b', terminal)),
        rows(
          row('a', 'pass', 'b', 3),
          row('a', 'redirect', 'a', -3),
          row('a', 'kick_out', 'a', -9),
        ),
      ),
    ]);
    expect((await (await start(strict)).judge('redirect')).stand.outcome).toBe('REJECT');
    expect((await (await start(strict)).judge('kick_out')).stand).toEqual({
      state: 'a',
      score: -9,
      outcome: 'KICK_OUT',
    });
  });
});

describe('definitions', () => {
  test('N40: display_order changes nothing', async () => {
    const orders = [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [1, 1, 1, 1],
      [undefined, 7, undefined, -2],
    ];
    const runs = await Promise.all(
      orders.map(async (order) => {
        const scenarioWith = scenarioE();
        const listed = (scenarioWith['states'] as JsonObject[]).map((one, index) => ({
          ...one,
          ...(order[index] === undefined ? {} : { display_order: order[index] }),
        }));
        const session = await start(npcOf([{ ...scenarioWith, states: listed }]));
        await session.judge('redirect', 'follow_up', 'pass', 'pass:no_deal');
        return session.emitted;
      }),
    );
    for (const run of runs) expect(run).toEqual(runs[0]);
  });

  test('N41: exactly one initial state and at least one terminal one are needed', () => {
    const [greeting, offer, deal] = scenarioE()['states'] as JsonObject[];
    const found = (...list: JsonObject[]) =>
      codes(
        npcOf([scenario('s', states(...list), rows(row('greeting', 'pass', 'offer')))]),
        'error',
      );
    expect(found(greeting!, { ...offer!, ...initial }, deal!)).toEqual([
      'npc/several-initial-states',
    ]);
    expect(found({ ...greeting!, is_initial_state: false }, offer!, deal!)).toEqual([
      'npc/no-initial-state',
    ]);
    expect(found(greeting!, offer!)).toEqual(['npc/no-terminal-state']);
  });

  test('N42: two states are legal', async () => {
    const definition = npcOf([
      scenario(
        's',
        states(state('a', initial), state('b', terminal)),
        rows(row('a', 'pass', 'b', 3)),
      ),
    ]);
    expect(codes(definition)).toEqual([]);
    expect((await (await start(definition)).judge('pass')).isOver).toBe(true);
  });

  test('N43: reserved names and special characters are ordinary keys', async () => {
    const keys = [
      'a.b',
      '#x',
      'Small Talk',
      'constructor',
      '__proto__',
      '7',
      'a/b',
      'closed',
      ''.padEnd(3, '%'),
    ];
    const session = await start(
      npcOf([
        scenario(
          '__proto__',
          states(
            state('first', initial),
            ...keys.map((key) => state(key, criteria('follow_up'))),
            state('last', terminal),
          ),
          rows(
            row('first', 'pass', keys[0]!, 3),
            ...keys.map((key, index) => row(key, 'pass', keys[index + 1] ?? 'last')),
          ),
        ),
      ]),
    );
    for (const key of ['first', ...keys]) {
      expect(session.context.state).toBe(key);
      await (key === 'first' ? session.judge('pass') : session.judge('follow_up', 'pass'));
    }
    expect(session.stand).toEqual({ state: 'last', score: 3, outcome: 'ACCEPT' });
    expect(session.actor.getSnapshot().output.results).toEqual([
      { machine: '__proto__', outcome: 'ACCEPT', score: 3, state: 'last' },
    ]);
  });

  test('N44: the follow-up state is the engine’s own', () => {
    const definition = npcOf([
      scenario(
        's',
        states(state('follow_up', initial), state('b', terminal)),
        rows(row('follow_up', 'pass', 'b', 3)),
      ),
    ]);
    expect(codes(definition)).toEqual(['npc/reserved-key']);
  });

  test('N45: of two passes with one priority, the first in the list wins', async () => {
    const session = await start(
      npcOf([
        scenario(
          's',
          states(state('a', initial), state('z', terminal), state('b', terminal)),
          rows(
            row('a', 'pass', 'z', 3, { priority: 5 }),
            row('a', 'pass', 'b', 3, { priority: 5 }),
          ),
        ),
      ]),
    );
    expect((await session.judge('pass')).stand.state).toBe('z');
  });
});

describe('several scenarios', () => {
  const play = (extraction: JsonObject = {}, input: NpcInput = {}) =>
    Session.start(corwin(), input, extraction);

  test('N50: an outcome unlocks the next scenario and continues with it', async () => {
    const session = await (await play({ item_sold: 'a lamp' })).judge('pass');
    expect(session.verdict).toMatchObject({
      outcome: 'ACCEPT',
      score: 3,
      machine_completed: true,
      unlocked_machines: [{ machine_key: 'errand', name: 'errand', is_auto_advance: true }],
    });
    expect(session.context).toMatchObject({
      machine: 'errand',
      state: 'ask',
      score: 0,
      outcome: null,
      unlocked: ['errand'],
      variables: { item_sold: 'a lamp' },
    });
    expect(session.direction).toBe('Ask about the "a lamp".');
    expect(session.replies.map(({ transcript }) => transcript)).toEqual([
      { conversation: 'conversation', length: 0 },
      { conversation: 'conversation', length: 2 },
      { conversation: 'conversation/session-2', length: 0 },
    ]);
  });

  test('N51: another outcome leaves it locked', async () => {
    const session = await (await play()).judge('reject');
    expect(session.stand).toEqual({ state: 'settled', score: -1, outcome: 'REJECT' });
    expect(session.isOver).toBe(true);
    expect(session.actor.getSnapshot().output.unlocked).toEqual([]);
  });

  test('N52: a locked scenario cannot be started, at the beginning or later', async () => {
    await expect(play({}, { machine: 'errand' })).rejects.toThrow(
      'The conversation cannot begin: the scenario "errand" is locked.',
    );
    await expect(play({}, { machine: 'nothing' })).rejects.toThrow(
      'there is no scenario "nothing"',
    );
    const session = await play();
    await session.send({ type: 'scenario.start', machine_key: 'errand' });
    await session.send({ type: 'scenario.start', machine_key: 'nothing' });
    expect(session.events('update.refused').map(({ because }) => because)).toEqual([
      'The scenario "errand" is locked.',
      'There is no scenario "nothing".',
    ]);
    expect(session.context.machine).toBe('trade');
  });

  test('an unlocked scenario stays so in the next conversation', async () => {
    const session = await play({}, { machine: 'errand', unlocked: ['errand', 'nothing'] });
    expect(session.context).toMatchObject({ machine: 'errand', unlocked: ['errand'] });
  });

  test('N53: a restart discards the session, and an event says so', async () => {
    const session = await (await start()).judge('pass', 'redirect');
    await session.send({ type: 'scenario.start', machine_key: 'supplies' });
    expect(session.events('scenario.discarded')).toEqual([
      { type: 'scenario.discarded', machine: 'supplies', state: 'offer', score: 2 },
    ]);
    expect(session.context).toMatchObject({
      state: 'greeting',
      score: 0,
      redirects: 0,
      messages: 1,
      session: 2,
    });
    expect(session.replies.at(-1)!.transcript).toEqual({
      conversation: 'conversation/session-2',
      length: 0,
    });
    expect(session.direction).toBe('Play greeting.');
  });

  test('a restart while a message is judged discards the verdict', async () => {
    const session = await start();
    session.hold('pass');
    await session.say('Rope');
    await session.say('And nails');
    await session.send({ type: 'scenario.start' });
    for (let round = 0; round < 4; round += 1) await session.release();
    expect(session.stand).toEqual({ state: 'greeting', score: 0, outcome: null });
    expect(session.events('verdict.reached')).toEqual([]);
    expect(session.events('message.refused')).toHaveLength(1);
    expect(session.context).toMatchObject({ turn: 0, messages: 1, inbox: [] });
  });
});

describe('order and prompts', () => {
  test('N54: a verdict in flight at a restart is requested again, and applied once', async () => {
    // golden.test.ts also restores the actor after each line of every transcript.
    const session = await start();
    session.hold('pass', 'pass');
    await session.say('Rope');
    await session.recover();
    expect(session.evaluations.map(({ key }) => key)).toEqual([
      'conversation/1/evaluate',
      'conversation/1/evaluate',
    ]);
    for (let round = 0; round < 3; round += 1) await session.release();
    expect(session.stand).toEqual({ state: 'offer', score: 2, outcome: null });
    expect(session.events('verdict.reached')).toHaveLength(1);
    expect(session.events('message.sent')).toHaveLength(2);
  });

  test('N55: the responder receives general parts first, and never the answer key', async () => {
    const session = await start(E, { player: { name: 'Ada', gender: 'female' } });
    await session.judge('pass');
    const { prompt } = session.replies.at(-1)!;
    expect(prompt).toEqual([
      { title: 'Conversation', text: 'Stay in the fiction.', constant: true },
      { title: 'Who you are', text: 'You are Maren.\nYou are thrifty with words.', constant: true },
      { title: 'State', text: 'offer' },
      {
        title: 'This turn',
        text: 'The conversation has just come to this state: answer the player and lead over to it.',
      },
      { title: 'Player', text: 'Name: Ada\nGender: female', data: true, constant: true },
    ]);
    const evaluation = JSON.stringify(session.evaluations);
    expect(evaluation).toContain('Goods and price are agreed.');
    for (const text of [JSON.stringify(session.replies), evaluation])
      expect(text).not.toContain('small talk');
    expect(JSON.stringify(session.replies)).not.toContain('Goods and price are agreed.');
  });

  test('N57: state, score and verdict are emitted before the reply', async () => {
    const session = await (await start()).judge('pass');
    const types = session.log.map((entry) =>
      entry.type === 'asked' ? `? ${entry.port}` : entry.type,
    );
    expect(types).toEqual([
      'scenario.started',
      'state.entered',
      '? reply',
      'message.sent',
      '? choose',
      'score.changed',
      'state.entered',
      'verdict.reached',
      '? reply',
      'message.sent',
    ]);
  });
});

test('a pass/fail scenario without a way on treats a pass as a redirect', async () => {
  const session = await start(
    npcOf([scenario('s', passFail, states(state('a', initial), state('b', terminal)))]),
  );
  await session.judge('pass');
  expect(session.verdict).toMatchObject({ decision: 'redirect', given: 'pass', redirect_count: 1 });
});
