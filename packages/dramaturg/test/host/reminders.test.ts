import { manualClock } from '@dramaturg/host';
import { expect, test } from 'vitest';
import { compile, conversationLifecycle, understudyPorts } from '../../src/index.ts';
import { conversationsOfFormats } from './conversations-of-formats.ts';
import { places, Stage } from './stage.ts';

/** Reminders keep to quiet hours and working days, whatever comes in between. 23 October 2026 is a Friday. */
async function begun(place: string) {
  const clock = manualClock({ startAt: Date.parse('2026-10-23T18:00+02:00') });
  const policies = {
    ...conversationLifecycle.policies,
    time_zone: 'Europe/Berlin',
    quiet_hours: { from: '21:00', to: '08:00' },
    calendar: {},
    reminders: [{ after: '2h', text: 'Still there?' }],
  };
  const sent: string[] = [];
  const stage = await Stage.open({
    store: places[place]!(),
    definitions: {
      greeting: {
        definition: conversationsOfFormats.plan,
        lifecycle: compile(JSON.stringify({ ...conversationLifecycle, policies })),
      },
    },
    ports: understudyPorts(),
    channels: { main: { deliver: ({ text }) => void sent.push(text) } },
    clock,
  });
  await stage.host.start('greeting', { id: 'a', contact: 'ada' });
  await stage.host.settle();
  const at = async (time: string) => {
    clock.set(Date.parse(time));
    await stage.host.settle();
    return sent.slice(1);
  };
  const due = async () => new Date((await stage.host.get('a')).dueAt!).toISOString();
  return { stage, at, due };
}

test.each(Object.keys(places))(
  'a reminder that the host has missed waits for the end of quiet hours, with a store in %s',
  async (place) => {
    const { stage, at } = await begun(place);
    await stage.host.stop({ within: 0 });
    await at('2026-10-26T03:00+01:00');
    await stage.open();
    expect(await at('2026-10-26T07:59+01:00')).toEqual([]);
    expect(await at('2026-10-26T08:00+01:00')).toEqual(['Still there?']);
  },
);

test('a pause and a manual message do not move a reminder to a Saturday', async () => {
  const { stage, at, due } = await begun('memory');
  expect(await due()).toBe('2026-10-23T18:00:00.000Z');
  await stage.host.pause('a');
  await at('2026-10-24T10:00+02:00');
  await stage.host.resume('a');
  expect(await due()).toBe('2026-10-26T07:00:00.000Z');
  await stage.host.intervene('a', 'Have a nice weekend.');
  expect(await due()).toBe('2026-10-26T07:00:00.000Z');
});
