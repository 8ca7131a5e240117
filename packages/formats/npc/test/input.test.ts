import { InputError } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import type { NpcInput } from '../src/index.ts';
import { initial, npcOf, passFail, row, rows, scenario, state, states, terminal } from './build.ts';
import { Session } from './session.ts';

const guard = npcOf([
  scenario(
    'gate',
    passFail,
    states(state('challenge', initial), state('yard'), state('granted', terminal)),
    rows(row('challenge', 'pass', 'yard'), row('yard', 'pass', 'granted')),
  ),
]);

async function problems(input: unknown): Promise<readonly string[]> {
  const refused = await Session.start(guard, input as NpcInput).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(InputError);
  return (refused as InputError).problems;
}

describe('the input of an NPC', () => {
  test('is refused, and the error lists every unknown or invalid field', async () => {
    expect(
      await problems({
        playr: {},
        player: { nam: 'Ada', gender: 'cat' },
        unlocked: 'gate',
        variables: { town: ['Oslo'] },
        memory: 7,
        machine: 'door',
        opening: 'npc',
      }),
    ).toEqual([
      '"playr" is unknown. Did you mean "player"? Known: machine, player, unlocked, variables, memory, opening, conversation.',
      '"opening" must be "agent" or "person"',
      '"unlocked" must be a list of texts',
      'there is no scenario "door"',
      '"memory" must be a text',
      '"player.nam" is unknown. Did you mean "name"? Known: name, gender.',
      'the gender of the player must be one of female, male, non-binary',
      'the variable "town" must be a text',
    ]);
  });
});

describe('the first word', () => {
  test('is the NPC’s, and the first message is judged', async () => {
    const session = await Session.start(guard);
    expect(session.direction).toBe('Play challenge.');
    await session.judge('pass');
    expect([session.evaluations.length, session.stand.state]).toEqual([1, 'yard']);
  });

  test('is the player’s if the input says so: one line answers it, and nothing is judged', async () => {
    const session = await Session.start(guard, { opening: 'person' });
    expect([session.actor.getSnapshot().hasTag('waiting'), session.replies.length]).toEqual([
      true,
      0,
    ]);
    await session.say('Good evening!');
    expect([session.evaluations.length, session.replies.length]).toEqual([0, 1]);
    expect(session.replies[0]).toMatchObject({ message: 'Good evening!' });
    expect(session.replies[0]!.prompt.find(({ title }) => title === 'This turn')!.text).toBe(
      'The player has spoken first: open the conversation, and answer what they said.',
    );
    expect(session.stand.state).toBe('challenge');
    await session.judge('pass');
    expect([session.evaluations.length, session.stand.state]).toEqual([1, 'yard']);
  });

  test('stays the player’s after a crash', async () => {
    const session = await Session.start(guard, { opening: 'person' });
    await session.recover();
    await session.say('Good evening!');
    expect([session.evaluations.length, session.replies.length]).toEqual([0, 1]);
  });

  test('is the NPC’s in a restarted scenario', async () => {
    const session = await Session.start(guard, { opening: 'person' });
    await session.send({ type: 'scenario.start' });
    expect([session.evaluations.length, session.replies.length]).toEqual([0, 1]);
  });

  test('cannot be blank', async () => {
    const session = await Session.start(guard, { opening: 'person' });
    await session.say(' ');
    expect(session.events('message.refused')).toHaveLength(1);
    await session.say('Good evening!');
    expect([session.evaluations.length, session.replies.length]).toEqual([0, 1]);
  });
});
