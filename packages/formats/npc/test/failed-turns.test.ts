import { compile, type EventObject, type JsonObject, type PortInput } from '@dramaturg/compiler';
import { changedByFailures } from '@dramaturg/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { npc } from '../src/index.ts';
import { corwin, npcOf, scenarioE, scenarioG } from './build.ts';
import { Session } from './session.ts';
import { soundScenario } from './sound-scenario.ts';
import { sampled, scaled } from '../../../../.config/scaled.ts';

/** Generous, so that a busy machine does not fail these tests. In milliseconds. */
const timeout = 300_000;

const say = (text: string): EventObject => ({ type: 'message.received', text });

describe('while a turn has failed', () => {
  test('a message that is sent again is not judged again', async () => {
    const session = await Session.start(npcOf([scenarioE()]));
    session.failNext('reply');
    await session.say('Rope, please', 'pass');
    expect([session.stand.state, session.stand.score]).toEqual(['offer', 2]);
    await session.say('Rope, please');
    expect([session.stand.state, session.stand.score]).toEqual(['offer', 2]);
    expect(session.evaluations).toHaveLength(1);
    expect(session.events('verdict.reached')).toHaveLength(1);
    expect(session.replies.slice(1)).toEqual([session.replies[1], session.replies[1]]);
  });

  test('another message is judged after the failed turn has ended, in the current state', async () => {
    const session = await Session.start(npcOf([scenarioE()]));
    session.failNext('reply');
    await session.say('Rope, please', 'pass');
    await session.say('Ten coins', 'redirect');
    expect(session.evaluations.map(({ message }) => message)).toEqual([
      'Rope, please',
      'Ten coins',
    ]);
    expect(session.events('message.sent').map(({ state }) => state)).toEqual([
      'greeting',
      'offer',
      'offer',
    ]);
  });

  test('a summary that failed is written after the next turn, which nobody waits for', async () => {
    const scenario = scenarioE({ system_summarization_prompt: 'Keep names.' });
    const session = await Session.start(npcOf([scenario]), {}, {}, { summariseAfter: 2 });
    session.failNext('think');
    await session.say('Rope, please', 'redirect');
    expect(session.events('turn.failed')).toEqual([]);
    await session.say('Rope, please', 'redirect');
    expect(session.context).toMatchObject({ turn: 2, redirects: 2, summary: 'So far.' });
  });

  test('a session that is over accepts no message, and ends once its variables are read', async () => {
    const session = await Session.start(corwin(), {}, { item_sold: 'rope' });
    session.failNext('extract');
    await session.say('Rope, please', 'pass');
    await session.say('Anything else?');
    expect(session.events('message.refused')).toHaveLength(1);
    await (await session.recover()).send({ type: 'turn.retry' });
    expect(session.context).toMatchObject({ machine: 'errand', variables: { item_sold: 'rope' } });
  });

  test('the scenario can be restarted', async () => {
    const session = await Session.start(npcOf([scenarioE()]));
    await session.say('Rope, please', new Error('no network'));
    await session.send({ type: 'scenario.start' });
    expect(session.context).toMatchObject({ session: 2, turn: 0, message: null });
    await session.say('Rope, please', 'pass');
    expect(session.stand.state).toBe('offer');
  });

  test('turn.retry changes nothing unless a turn has failed', async () => {
    const session = await Session.start(npcOf([scenarioE()]));
    const before = session.actor.getSnapshot();
    await session.send({ type: 'turn.retry' });
    expect(session.actor.getSnapshot()).toBe(before);
  });
});

describe('a failed call does not change the conversation', () => {
  const steps = ['Hello', 'Rope', 'Ten coins', 'Fine', 'And oil', 'No', 'Yes', 'Bye'].map(say);

  const heldWith = (definition: object, seed: string) => {
    const { machine, diagnostics } = compile(JSON.stringify(definition), {
      formats: [npc],
      format: 'npc',
    });
    if (!machine) throw new Error(diagnostics.map(({ message }) => message).join(' '));
    return changedByFailures({
      machine,
      steps,
      answer: (port, asked) => answerOf(seed, port, asked as never) as never,
    });
  };

  const more: JsonObject = {
    system_summarization_prompt: 'Keep names.',
    output_variables: [{ key: 'item_sold', extraction_prompt: 'What was sold?' }],
  };

  test.each(sampled(['a', 'b', 'c', 'd']))(
    'in the scenarios of the cases, seed %s',
    { timeout },
    async (seed) => {
      expect(await heldWith(npcOf([scenarioE(more)]), seed)).toEqual([]);
      expect(await heldWith(npcOf([scenarioG(more)]), seed)).toEqual([]);
      expect(await heldWith(corwin(), seed)).toEqual([]);
    },
  );

  test('in any scenario', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(soundScenario, fc.string(), async (scenario, seed) => {
        expect(await heldWith({ ...scenario, ...more }, seed)).toEqual([]);
      }),
      { numRuns: scaled(10) },
    );
  });
});

/** A number from 0 to 999 that depends only on the text. */
function chance(text: string): number {
  let hash = 7;
  for (const character of text) hash = (hash * 31 + character.codePointAt(0)!) % 1_000_003;
  return hash % 1_000;
}

/** Answers of a model. The same question always gets the same answer. */
function answerOf(seed: string, port: string, asked: PortInput<'choose'>): unknown {
  const number = chance(seed + asked.key);
  switch (port) {
    case 'choose': {
      // Sometimes not an offered answer, so that a second one is requested.
      if (number < 200) return { option: 'PASS!!' };
      return { option: asked.options[number % asked.options.length]!.id };
    }
    case 'extract':
      return { value: { item_sold: `rope ${number}` } };
    default:
      return { text: `So. ${number}` };
  }
}
