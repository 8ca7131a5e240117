import { check, type JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { npc } from '../src/index.ts';
import {
  criteria,
  initial,
  npcOf,
  passFail,
  row,
  rows,
  scenario,
  state,
  states,
  terminal,
} from './build.ts';
import { Session } from './session.ts';

/** Targets that are not states. Spec: docs/formats/npc.md#other-targets */

const places = states(
  state('door', initial, criteria('pass', 'redirect', 'reject', 'kick_out')),
  state('room', criteria('pass')),
  state('bed', terminal),
);
const usual = [row('door', 'pass', 'room', 2), row('room', 'pass', 'bed', 2)];
const danger = row('door', 'pass', '__human__', 0, { condition: 'Danger.', reason: 'danger' });
const inn = (...transitions: JsonObject[]) =>
  npcOf([scenario('inn', places, rows(...transitions))]);
const withHelp = inn({ ...usual[0]!, condition: 'A name.' }, danger, usual[1]!);

test('a hand-over asks for a person, tells the player, and stays in the state', async () => {
  const session = await Session.start(withHelp);
  await session.judge('pass:__human__');
  expect(session.events('help.requested')).toEqual([
    { type: 'help.requested', reason: 'danger', state: 'door' },
  ]);
  expect(session.verdict).toMatchObject({ decision: 'pass', outcome: null, state: 'door' });
  expect(session.direction).toBe('Tell them that a colleague takes over.');
  await session.recover();
  await session.judge('redirect');
  expect(session.direction).toContain('Steer the player back.');
  await session.judge('pass:room', 'pass');
  expect(session.stand).toEqual({ state: 'bed', score: 4, outcome: 'ACCEPT' });
});

test.each(['redirect', 'reject', 'kick_out'])(
  'a hand-over on %s comes before what the verdict does',
  async (decision) => {
    const session = await Session.start(inn(...usual, row('door', decision, '__human__', -1)));
    await session.judge(decision);
    expect(session.events('help.requested')).toHaveLength(1);
    expect(session.stand).toEqual({ state: 'door', score: -1, outcome: null });
  },
);

test('an early message may hand over, and passes nothing', async () => {
  const session = await Session.start(withHelp);
  const early = { type: 'message.received', text: 'My son cannot breathe!', early: 'other' };
  await session.send(early);
  const options = session.evaluations.at(-1)!.options.map(({ id }) => id);
  expect(options).toEqual(['pass:__human__', 'kick_out', 'none']);
});

test.each([
  ['pass', undefined, 'ACCEPT'],
  ['reject', undefined, 'REJECT'],
  ['kick_out', undefined, 'KICK_OUT'],
  ['redirect', 'ACCEPT', 'ACCEPT'],
])('an end on %s with the outcome %s ends with %s', async (decision, outcome, ends) => {
  const leaves = row('door', decision, '__end__', 0, outcome === undefined ? {} : { outcome });
  const others = usual.filter((each) => each['from_state_key'] !== 'door' || decision !== 'pass');
  const session = await Session.start(inn(leaves, ...others));
  await session.judge(decision);
  expect(session.stand).toEqual({ state: 'door', score: 0, outcome: ends });
  expect(session.isOver).toBe(true);
});

test('a reject in scoring mode follows a pass to the end', async () => {
  const session = await Session.start(
    inn(row('door', 'pass', '__end__', 3), row('door', 'reject', '__end__', -1), usual[1]!),
  );
  await session.judge('reject');
  expect(session.stand).toEqual({ state: 'door', score: -1, outcome: 'REJECT' });
});

test('a restart begins the scenario again, with nothing known', async () => {
  const again = row('room', 'kick_out', '__restart__');
  const session = await Session.start(inn(...usual, again));
  for (let round = 1; round <= 2; round += 1) {
    await session.judge('pass', 'kick_out');
    expect(session.stand).toEqual({ state: 'door', score: 0, outcome: null });
    expect(session.context.session).toBe(round + 1);
    expect(session.verdict).toMatchObject({ decision: 'kick_out', state: 'room', score: 2 });
    expect(session.direction).toBe('Play door.');
  }
  await session.judge('pass', 'pass');
  expect(session.isOver).toBe(true);
});

const found = (definition: JsonObject) =>
  check(JSON.stringify(definition), { formats: [npc], format: 'npc' }).diagnostics.flatMap(
    ({ code, path, severity }) =>
      severity === 'info' ? [] : [`${code} ${path?.slice(2).join('.') ?? ''}`],
  );

test('a scenario needs no terminal state when a transition ends it', () => {
  const talk = states(state('door', initial, criteria('pass')));
  expect(
    found(npcOf([scenario('inn', passFail, talk, rows(row('door', 'pass', '__end__')))])),
  ).toEqual([]);
});

test.each<[string, JsonObject[], string]>([
  [
    'a misspelt target',
    [row('door', 'pass', '__humans__')],
    'npc/unknown-state transitions.0.to_state_key',
  ],
  [
    'a transition from such a target',
    [row('__end__', 'pass', 'bed')],
    'npc/unknown-state transitions.0.from_state_key',
  ],
  [
    'a reason of another target',
    [row('door', 'pass', 'room', 0, { reason: 'x' })],
    'npc/field-of-another-target transitions.0.reason',
  ],
  [
    'an outcome of another target',
    [row('door', 'pass', '__human__', 0, { outcome: 'ACCEPT' })],
    'npc/field-of-another-target transitions.0.outcome',
  ],
  [
    'an unknown outcome',
    [row('door', 'pass', '__end__', 0, { outcome: 'WIN' })],
    'npc/unknown-outcome transitions.0.outcome',
  ],
  [
    'a reason that is no text',
    [row('door', 'pass', '__human__', 0, { reason: 1 })],
    'shape/wrong-type transitions.0.reason',
  ],
  [
    'a scenario that only begins again',
    [row('door', 'pass', '__restart__')],
    'npc/no-way-to-an-end states.0',
  ],
])('check finds %s, once', (_, transitions, finding) => {
  expect(found(inn(...transitions, usual[1]!)).filter((each) => each === finding)).toHaveLength(1);
});

test('check finds a state whose key is such a target', () => {
  const talk = states(state('__human__', initial, criteria('pass')), state('bed', terminal));
  expect(
    found(npcOf([scenario('inn', talk, rows(row('__human__', 'pass', 'bed')))])).join(),
  ).toContain('npc/reserved-key states.0.state_key');
});
