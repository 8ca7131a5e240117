import { describe, expect, test } from 'vitest';
import { initial, npcOf, passFail, row, rows, scenario, state, states, terminal } from './build.ts';
import { Session } from './session.ts';

const guard = npcOf([
  scenario(
    'gate',
    passFail,
    states(state('challenge', initial), state('granted', terminal)),
    rows(row('challenge', 'pass', 'granted')),
  ),
]);

const ending = { name: 'end_conversation', arguments: { reason: 'rude' } };

describe('an NPC that ends the conversation', () => {
  test('says its line first, and then completes the conversation without a verdict', async () => {
    const session = await Session.start(guard);
    session.calls(ending);
    await session.judge('redirect');
    expect(session.emitted.slice(-2)).toMatchObject([
      { type: 'message.sent', text: 'Line 2.' },
      { type: 'conversation.ended', outcome: 'ended_by_agent', reason: 'rude', state: 'challenge' },
    ]);
    expect(session.isOver).toBe(true);
  });

  test('refuses each message that it does not answer', async () => {
    const session = await Session.start(guard);
    session.calls(ending);
    session.hold('redirect');
    await session.say('Hm.');
    await session.say('And one more thing.');
    await session.release();
    await session.release();
    expect(session.emitted.slice(-2)).toMatchObject([
      { type: 'message.refused' },
      { type: 'conversation.ended', outcome: 'ended_by_agent' },
    ]);
  });

  test('does not change an outcome that is decided', async () => {
    const session = await Session.start(guard);
    session.calls(ending);
    await session.judge('pass');
    expect(session.emitted.at(-1)).toMatchObject({ type: 'conversation.ended', outcome: 'ACCEPT' });
  });
});

test('an NPC asks for help with an event, and keeps waiting', async () => {
  const session = await Session.start(guard);
  session.calls({ name: 'request_human_intervention', arguments: { reason: 'angry' } });
  await session.judge('redirect');
  expect(session.emitted.at(-1)).toEqual({
    type: 'help.requested',
    reason: 'angry',
    state: 'challenge',
  });
  expect(session.actor.getSnapshot().hasTag('waiting')).toBe(true);
});

test('a tool that was not offered to the NPC is refused', async () => {
  const session = await Session.start(guard);
  session.calls({ name: 'launch', arguments: {} });
  await session.judge('redirect');
  expect(session.emitted.at(-1)).toMatchObject({ type: 'update.refused', what: 'launch' });
});
