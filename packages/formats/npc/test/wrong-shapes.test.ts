import type { JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { initial, npcOf, passFail, row, rows, scenario, state, states, terminal } from './build.ts';
import { Session } from './session.ts';

const shop = npcOf([
  scenario(
    'shop',
    passFail,
    { output_variables: [{ key: 'item_sold', extraction_prompt: 'What was sold?' }] },
    states(state('counter', initial), state('sold', terminal)),
    rows(row('counter', 'pass', 'sold')),
  ),
]);

/** The refusals and failures of a session with this answer for its output variables. */
async function complaints(extraction: unknown): Promise<string[]> {
  const session = await Session.start(shop, {}, extraction as JsonObject);
  await session.judge('pass');
  return session.emitted.flatMap((event) => {
    if (event.type === 'turn.failed') return [`${event.code}: ${event.message}`];
    return event.type === 'update.refused' ? [event.because] : [];
  });
}

test('output variables of a wrong shape are not an answer', async () => {
  for (const value of [
    ['lamp'],
    'lamp',
    null,
    { item_sold: ['lamp'] },
    { item_sold: { a: 'lamp' } },
  ])
    expect(await complaints(value)).toEqual([
      expect.stringMatching(/^port\/bad-output: The port "extract" gave a wrong answer: /),
    ]);
});

test('unknown output variables are refused by name', async () => {
  expect(await complaints({ sold: 'lamp' })).toEqual([
    '"sold" was not asked for; there are the fields "item_sold".',
  ]);
  expect(await complaints({ item_sold: 'lamp' })).toEqual([]);
});

test('a reply whose tool calls have a wrong shape fails the turn', async () => {
  const session = await Session.start(shop);
  session.calls({ name: 'end_conversation' } as never);
  await session.judge('redirect');
  expect(session.events('turn.failed')).toMatchObject([{ code: 'port/bad-output', port: 'reply' }]);
});
