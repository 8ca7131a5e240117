import { readFileSync } from 'node:fs';
import { manualClock } from '@dramaturg/host';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  compile,
  conversationLifecycle,
  createHost,
  type Compiled,
  type HostOptions,
  understudyPorts,
} from '../../src/index.ts';
import { halfWrites, killedStore } from './killed-store.ts';
import { sampled } from '../../../../.config/scaled.ts';
import { places } from './stage.ts';
import { definitions } from './two-questions.ts';

/** What an event from outside does to a conversation. Spec: docs/events.md#events-from-outside */

const asks = (id: string, target?: string) => ({
  id,
  title: id,
  tasks: [{ id, description: `Ask ${id}`, deliverables: [{ key: id, description: id }] }],
  ...(target && { transitions: [{ target_state_id: target }] }),
});
const plan = compile(
  JSON.stringify({
    id: 'trip',
    title: 'Trip',
    states: [asks('name', 'city'), asks('city', 'hotel'), asks('hotel')],
  }),
  { fileName: 'trip.plan.json' },
);

const update = (deliverables: object, more: object = {}) => ({
  type: 'plan.update',
  deliverables,
  ...more,
});
const events: Readonly<Record<string, { type: string; [field: string]: unknown }>> = {
  'plan.update that records': update({ hotel: 'Ritz' }),
  'plan.update that leads to another question': update({ name: 'Ada' }),
  'the same with silent': update({ name: 'Ada' }, { silent: true }),
  'plan.update that ends': update({ name: 'Ada', city: 'Oslo', hotel: 'Ritz' }),
  'scenario.start': { type: 'scenario.start' },
  cancel: { type: 'cancel' },
};

const lifecycleWith = (policies: object) =>
  compile(
    JSON.stringify({
      ...conversationLifecycle,
      policies: { ...conversationLifecycle.policies, ...policies },
    }),
  );

type Bench = Awaited<ReturnType<typeof hosted>>;

/** How a conversation comes into each state, and what happens later. */
const ways: Readonly<
  Record<
    string,
    {
      policies?: object;
      go?: (bench: Bench) => Promise<unknown>;
      later?: (bench: Bench) => Promise<unknown>;
    }
  >
> = {
  ACTIVE: {
    go: async (bench) => {
      bench.hold();
      await bench.host.receive({ contact: 'ada', text: 'Well' });
      await bench.host.settle({ within: 20 });
    },
    later: async ({ release }) => release(),
  },
  WAITING_FOR_REPLY: {},
  WAITING_FOR_AGENT: {
    policies: { pick_up: 'when_available' },
    go: async ({ host }) => {
      await host.send('a', { type: 'agent.available' });
      await host.settle();
      await host.receive({ contact: 'ada', text: 'Well' });
    },
    later: ({ host }) => host.send('a', { type: 'agent.available' }),
  },
  HEARTBEAT_SCHEDULED: {
    go: async (bench) => {
      bench.hold();
      bench.clock.set(bench.clock.now() + 1_800_000);
      await bench.host.settle({ within: 20 });
    },
    later: async ({ release }) => release(),
  },
  PAUSED: {
    go: ({ host }) => host.pause('a'),
    later: ({ host }) => host.resume('a'),
  },
  NEEDS_HUMAN_INTERVENTION: {
    policies: { words: { en: { person: ['person'] } } },
    go: ({ host }) => host.receive({ contact: 'ada', text: 'person' }),
    later: ({ host }) => host.resume('a'),
  },
};

async function hosted(definition: Compiled, policies: object = {}, store = places['memory']!()) {
  const clock = manualClock({ startAt: 1_800_000_000_000 });
  const sent = new Map<string, string>();
  const ports = understudyPorts();
  let held: Promise<void> | undefined;
  let release = () => {};
  const options: HostOptions = {
    store,
    clock,
    definitions: { trip: { definition, lifecycle: lifecycleWith(policies) } },
    ports: {
      ...ports,
      choose: ({ options: [first], fallback }) => ({ option: fallback ?? first!.id }),
      reply: async (input, call) => {
        await held;
        return ports.reply(input, call);
      },
    },
    channels: { main: { deliver: ({ id, text }) => void sent.set(id, text) } },
    onError: () => {},
  };
  let host = await createHost(options);
  onTestFinished(() => host.stop({ within: 0 }));
  await host.start('trip', { id: 'a', contact: 'ada' });
  await host.settle();
  return {
    get host() {
      return host;
    },
    reopen: async () => {
      await host.stop({ within: 0 });
      host = await createHost(options);
    },
    clock,
    sent,
    hold: () => {
      held = new Promise((resolve) => (release = resolve));
    },
    release: () => release(),
  };
}

/** What the contact hears of an event, and when. */
async function effectOf(state: string, name: string): Promise<string> {
  const { policies, go, later } = ways[state]!;
  const isNpc = name.startsWith('scenario');
  const bench = await hosted(isNpc ? definitions['npc']! : plan, policies);
  await go?.(bench);
  await bench.host.settle({ within: 20 });
  expect((await bench.host.get('a')).state).toBe(state);
  const before = bench.sent.size;
  expect(await bench.host.send('a', events[name]!)).toMatchObject({ accepted: true });
  await bench.host.settle({ within: 20 });
  const ended = (await bench.host.get('a')).ended;
  if (ended) return (await bench.host.get('a')).state;
  const atOnce = bench.sent.size - before;
  await later?.(bench);
  await bench.host.settle();
  const { state: rests } = await bench.host.get('a');
  if (rests === 'COMPLETED') return 'COMPLETED';
  const count = bench.sent.size - before;
  if ([...bench.sent.keys()].slice(before).some((id) => id.endsWith('/follow-up')))
    return 'recorded';
  if (state === 'HEARTBEAT_SCHEDULED' && count === 1) return 'one line at once';
  if (atOnce === 1 && count === 1) return 'one line at once';
  const inTurn = state === 'ACTIVE' || state === 'WAITING_FOR_AGENT';
  if (count === 0) return 'recorded';
  if (inTurn && count === 1) return 'in the turn';
  const when = { PAUSED: 'on resume', NEEDS_HUMAN_INTERVENTION: 'on resume' }[state] ?? 'later';
  return count === 1 ? `one line ${when}` : `${count} lines`;
}

test('the table of effects is what happens', async () => {
  const names = Object.keys(events);
  const rows: string[][] = [['', ...names]];
  for (const state of Object.keys(ways)) {
    const cells = [];
    for (const name of names) cells.push(await effectOf(state, name));
    rows.push([`\`${state}\``, ...cells]);
  }
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  const [head, ...body] = rows.map(line);
  const table = [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body];
  const page = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8');
  expect(page).toContain(table.join('\n'));
});

describe.each(Object.keys(places))('over the store %s', (store) => {
  test('a burst of updates is one line, which asks the last question', async () => {
    const bench = await hosted(plan, {}, places[store]!());
    bench.hold();
    const before = bench.sent.size;
    await bench.host.send('a', update({ name: 'Ada' }));
    await bench.host.settle({ within: 20 });
    await bench.host.send('a', update({ city: 'Oslo' }));
    bench.release();
    await bench.host.settle();
    const said = [...bench.sent.values()].slice(before);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('hotel');
  });
});

test('a kill at any write says the line once', async () => {
  for (const half of sampled(halfWrites)) {
    const store = killedStore();
    const bench = await hosted(plan, {}, store);
    const before = bench.sent.size;
    store.killAt(half);
    const send = () => bench.host.send('a', update({ name: 'Ada' })).catch(() => {});
    await Promise.race([
      send()
        .then(() => bench.host.settle())
        .catch(() => {}),
      store.death,
    ]);
    if (store.isDead) await bench.reopen();
    await send();
    await bench.host.settle();
    expect([...bench.sent.values()].slice(before)).toEqual([expect.stringContaining('city')]);
  }
});
