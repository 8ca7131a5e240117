import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile, conversationLifecycle, createHost, understudyPorts } from '../../src/index.ts';
import { places, Stage } from './stage.ts';

/** Whether the person or the agent speaks first, in every conversation format. */

const root = join(import.meta.dirname, '../../../..');

const files = {
  plan: 'docs/examples/customer-intake.plan.json',
  npc: 'packages/formats/npc/test/fixtures/lighthouse/lighthouse.npc.json',
  'context-graph': 'docs/examples/check-in.context-graph.yaml',
};

const readExample = (path: string) => readFileSync(join(root, path), 'utf8');

function compiled(path: string, change: (text: string) => string = (text) => text) {
  return compile(change(readExample(path)), { fileName: path });
}

const onDemand = (text: string) =>
  JSON.stringify({
    ...(JSON.parse(text) as object),
    metadata: { plan_builder: { start: { agent_spawn_mode: 'on_demand' } } },
  });

async function stageWith(place: string, definition: ReturnType<typeof compile>): Promise<Stage> {
  return Stage.open({
    store: places[place]!(),
    definitions: { it: definition },
    ports: understudyPorts(),
    channels: { main: { deliver: () => {} } },
  });
}

const rolesOf = async (stage: Stage, id: string) =>
  (await stage.host.transcript(id, { from: 0, limit: 100 }))
    .map(({ role }) => role)
    .filter((role) => role !== 'system');

describe.each(Object.entries(files))('%s', (_, path) => {
  test('one reply answers the first message', async () => {
    const stage = await stageWith('memory', compiled(path));
    await stage.host.start('it', { id: 'a', contact: 'ada', message: { text: 'Hello there.' } });
    await stage.host.settle();
    expect(await rolesOf(stage, 'a')).toEqual(['contact', 'agent']);
    expect((await stage.host.get('a')).state).toBe('WAITING_FOR_REPLY');
  });

  test('a given opening takes precedence', async () => {
    const stage = await stageWith('memory', compiled(path));
    const message = { text: 'Hello there.' };
    const input = { opening: 'agent' };
    await stage.host.start('it', { id: 'a', contact: 'ada', message, input });
    await stage.host.settle();
    expect((await rolesOf(stage, 'a')).filter((role) => role === 'agent')).toHaveLength(2);
  });

  test('a refused first message starts nothing', async () => {
    const stage = await stageWith('memory', compiled(path));
    for (const text of ['', '   ', 'x'.repeat(100_001)]) {
      const started = stage.host.start('it', { contact: 'ada', message: { text } });
      await expect(started).rejects.toMatchObject({ code: 'host/message-refused' });
    }
    expect((await stage.host.list()).items).toEqual([]);
  });
});

test.for(Object.keys(places))('an on-demand plan waits for its contact: %s', async (place) => {
  const stage = await stageWith(place, compiled(files.plan, onDemand));
  await stage.host.start('it', { id: 'a', contact: 'ada' });
  await stage.host.settle();
  expect((await stage.host.get('a')).state).toBe('WAITING_FOR_REPLY');
  await stage.restart();
  expect(await stage.host.receive({ contact: 'ada', text: 'Hello, I am Maria' })).toMatchObject({
    instance: 'a',
    accepted: true,
  });
  await stage.host.settle();
  // A welcome, and the question after the name.
  expect(await rolesOf(stage, 'a')).toEqual(['contact', 'agent', 'agent']);
  expect((await stage.host.get('a')).state).toBe('WAITING_FOR_REPLY');
});

test('misspelt options of a host and of its definitions are refused', async () => {
  const definition = compiled(files.plan);
  const store = places['memory']!();
  const wrong: [object, RegExp][] = [
    [{ definitons: { it: definition } }, /"definitons" is unknown\. Did you mean "definitions"\?/],
    [{ chanels: {} }, /"chanels" is unknown\. Did you mean "channels"\?/],
    [
      {
        definitions: {
          it: { definition, lifecyle: compile(JSON.stringify(conversationLifecycle)) },
        },
      },
      /"definitions\.it\.lifecyle" is unknown\. Did you mean "lifecycle"\?/,
    ],
  ];
  for (const [options, message] of wrong) {
    await expect(createHost({ store, ...options })).rejects.toMatchObject({
      code: 'host/unknown-option',
      message: expect.stringMatching(message) as string,
    });
  }
  const stage = await Stage.open({ store, definitions: { it: definition } });
  await expect(
    stage.host.start('it', { lifecycleinput: { heartbeat_config: {} }, inputs: {} } as object),
  ).rejects.toMatchObject({
    code: 'host/unknown-option',
    message: expect.stringMatching(
      /"lifecycleinput".*"lifecycleInput".*"inputs".*"input"/s,
    ) as string,
  });
  await expect(
    stage.host.start('it', { lifecycleInput: { heartbeat_confg: { interval_ms: 1 } } }),
  ).rejects.toMatchObject({ message: expect.stringContaining('"heartbeat_config"') as string });
  expect((await stage.host.list()).items).toEqual([]);
});
