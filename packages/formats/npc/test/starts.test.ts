import { check, type JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { npc } from '../src/index.ts';
import { npcOf, scenarioG } from './build.ts';
import { Session } from './session.ts';

/** What is started when a scenario is completed. Spec: docs/formats/npc.md#start */

const starting = (on_end: unknown) => npcOf([scenarioG({ on_end } as JsonObject)]);
const reward = { start: 'workflow:reward', input: { was: '{{outcome}}', points: '{{score}}' } };

test('a definition is started after an outcome', async () => {
  const session = await Session.start(starting(reward));
  await session.judge('kick_out');
  expect(session.events('start.requested')).toEqual([
    {
      type: 'start.requested',
      key: 'conversation/1/start',
      start: 'workflow:reward',
      input: { was: 'KICK_OUT', points: 0 },
    },
  ]);
});

test('not after another outcome than those that it names', async () => {
  const session = await Session.start(starting({ ...reward, outcomes: ['ACCEPT'] }));
  await session.judge('kick_out');
  expect(session.isOver).toBe(true);
  expect(session.events('start.requested')).toEqual([]);
});

test.each<[string, unknown, string]>([
  ['without a name', {}, 'npc/empty-start machines.0.on_end'],
  ['with a blank name', { start: ' ' }, 'npc/empty-start machines.0.on_end'],
  [
    'with an unknown value',
    { start: 'x', input: { a: ['{{points}}'] } },
    'npc/unknown-start-value machines.0.on_end.input.a.0',
  ],
  [
    'after an unknown outcome',
    { start: 'x', outcomes: ['WIN'] },
    'npc/unknown-start-outcome machines.0.on_end.outcomes.0',
  ],
  ['that is a list', [reward], 'shape/wrong-type machines.0.on_end'],
  ['with a number for a name', { start: 1 }, 'shape/wrong-type machines.0.on_end.start'],
])('a start %s is reported', (_, onEnd, finding) => {
  const { diagnostics } = check(JSON.stringify(starting(onEnd)), { formats: [npc], format: 'npc' });
  expect(diagnostics.map(({ code, path }) => `${code} ${path?.join('.')}`)).toContain(finding);
});
