import { manualClock } from '@dramaturg/host';
import { describe, expect, test } from 'vitest';
import { compile, type HostOptions, type JsonObject } from '../../src/index.ts';
import { agents, places, Stage } from './stage.ts';

/** Save points, and copies of runs that begin at them. */

const task = (agent: string, more: JsonObject) => ({ Type: 'Task', Agent: agent, ...more });
const checkpoint = (name: string, more: JsonObject) => ({
  Type: 'Checkpoint',
  Name: name,
  ...more,
});

const workflows = {
  /** Expensive work, a save point, and work that fails. */
  research: {
    StartAt: 'Collect',
    States: {
      Collect: task('Collect', { ResultPath: '$.found', Next: 'Keep' }),
      Keep: checkpoint('collected', { TTL: '1d', Next: 'Judge' }),
      Judge: task('Judge', { ResultPath: '$.verdict', Next: 'Done' }),
      Done: checkpoint('judged', { End: true }),
    },
  },
  /** Items that work while another branch is saved, and then wait for a person. */
  busy: {
    StartAt: 'Both',
    States: {
      Both: {
        Type: 'Parallel',
        Branches: [
          {
            StartAt: 'Items',
            States: {
              Items: {
                Type: 'Map',
                ItemsPath: '$.items',
                MaxConcurrency: 2,
                Iterator: {
                  StartAt: 'Ask',
                  States: {
                    Ask: {
                      Type: 'Approval',
                      Prompt: 'Item?',
                      ResultPath: null,
                      Timeout: '1h',
                      OnTimeout: 'AutoApprove',
                      Next: 'Work',
                    },
                    Work: task('Work', { End: true }),
                  },
                },
                End: true,
              },
            },
          },
          { StartAt: 'Keep', States: { Keep: checkpoint('middle', { End: true }) } },
        ],
        End: true,
      },
    },
  },
  /** A loop over the same save point. */
  loop: {
    StartAt: 'Count',
    States: {
      Count: task('Count', { Next: 'Keep' }),
      Keep: checkpoint('round', { Next: 'Enough' }),
      Enough: {
        Type: 'Choice',
        Choices: [{ Variable: '$.n', NumericLessThan: 20, Next: 'Count' }],
        Default: 'End',
      },
      End: { Type: 'Succeed' },
    },
  },
};

const definitions = Object.fromEntries(
  Object.entries(workflows).map(([name, definition]) => [
    name,
    compile(JSON.stringify(definition), { format: 'asl' }),
  ]),
);

describe.each(Object.keys(places))('on %s', (kind) => {
  const stageWith = (more: Partial<HostOptions>) =>
    Stage.open({ store: places[kind]!(), definitions, ...more });

  test('a copy of a failed run continues from its save point', async () => {
    let isSober = false;
    const { keys, ports } = agents(({ agent }) => {
      if (agent === 'Judge' && !isSober)
        throw Object.assign(new Error(), { error: 'Drunk', cause: 'no' });
      return agent;
    });
    const stage = await stageWith({ ports });
    await stage.host.start('research', { id: 'r', input: { input: { topic: 'tea' } } });
    await stage.until(async () => (await stage.host.get('r')).ended, 'the end');
    expect((await stage.host.get('r')).state).toBe('FAILED');
    const before = await stage.host.get('r');
    isSober = true;
    await stage.restart();
    expect(await stage.host.checkpoints('r')).toMatchObject([
      { name: 'collected', definition: { name: 'research' } },
    ]);
    const { id } = await stage.host.fork('r', { checkpoint: 'collected', id: 'r/2' });
    expect(id).toBe('r/2');
    await stage.until(async () => (await stage.host.get('r/2')).ended, 'the end of the copy');
    expect(await stage.output('r/2')).toEqual({
      topic: 'tea',
      found: 'Collect',
      verdict: 'Judge',
    });
    expect(await stage.host.get('r')).toEqual(before);
    expect((await stage.host.get('r/2')).copyOf).toEqual({
      instance: 'r',
      checkpoint: 'collected',
    });
    // Calls before the save point are not repeated, and each call has its own key.
    expect(keys.map((key) => key.split('/workflow/')[0])).toEqual(['r', 'r', 'r/2']);
    expect(new Set(keys).size).toBe(3);
    expect((await stage.host.checkpoints('r/2')).map(({ name }) => name)).toEqual([
      'collected',
      'judged',
    ]);
    await stage.host.fork('r/2', { checkpoint: 'judged', id: 'r/3' });
    await stage.until(async () => (await stage.host.get('r/3')).ended, 'the end of the third');
    expect(await stage.output('r/3')).toMatchObject({ verdict: 'Judge' });
  });

  test('a copy has its own calls, timers and decisions, also in items', async () => {
    const clock = manualClock({ startAt: 5_000 });
    const { keys, ports } = agents(({ input }) => input);
    const stage = await stageWith({ ports, clock });
    // The data of the definition happens to equal the id of the run.
    const items = ['b', 'b/x', 'c'];
    await stage.host.start('busy', { id: 'b', input: { input: { items } } });
    await stage.until(async () => (await stage.host.checkpoints('b')).length === 1, 'the save');
    await stage.host.fork('b', { checkpoint: 'middle', id: 'copy' });
    await stage.host.settle();
    await stage.restart();
    const open = (await stage.host.decisions()).items.map(({ decision }) => decision);
    expect(open.filter((each) => each.startsWith('b/'))).toHaveLength(2);
    expect(open.filter((each) => each.startsWith('copy/'))).toHaveLength(2);
    for (const decision of open.filter((each) => each.startsWith('copy/')))
      await stage.host.decide(decision, { decision: 'approve' });
    await stage.host.settle();
    expect((await stage.host.decisions({ instance: 'b' })).items).toHaveLength(2);
    clock.set(clock.now() + 3_700_000);
    await stage.until(async () => (await stage.host.get('copy')).ended, 'the end of the copy');
    await stage.host.settle();
    clock.set(clock.now() + 3_700_000);
    await stage.until(async () => (await stage.host.get('b')).ended, 'the end');
    for (const id of ['b', 'copy']) expect(await stage.output(id)).toEqual([items, { items }]);
    expect(new Set(keys).size).toBe(6);
    expect(keys.filter((key) => key.startsWith('copy/'))).toHaveLength(3);
  });

  test('an expired save point is not listed, cannot be forked, and is deleted', async () => {
    const clock = manualClock({ startAt: 5_000 });
    const { ports } = agents(({ agent }) => agent);
    const place = places[kind]!();
    const stage = await Stage.open({ store: place, definitions, ports, clock });
    await stage.host.start('research', { id: 'r' });
    await stage.until(async () => (await stage.host.get('r')).ended, 'the end');
    expect(
      (await stage.host.checkpoints('r')).map(({ name, expiresAt }) => [name, expiresAt]),
    ).toEqual([
      ['collected', 5_000 + 86_400_000],
      ['judged', undefined],
    ]);
    clock.set(clock.now() + 86_400_000);
    expect((await stage.host.checkpoints('r')).map(({ name }) => name)).toEqual(['judged']);
    await expect(stage.host.fork('r', { checkpoint: 'collected' })).rejects.toThrow(
      'The save point "collected" of "r" has expired. It has "judged".',
    );
    await expect(stage.host.fork('r', { checkpoint: 'never' })).rejects.toThrow(
      '"r" has no save point "never". It has "judged".',
    );
    await expect(stage.host.fork('nobody', { checkpoint: 'judged' })).rejects.toThrow(
      'no instance "nobody"',
    );
    await stage.host.settle();
    await stage.host.stop();
    const store = await place.open('the test');
    const held = await store.read('checkpoint:r/collected');
    expect(held).toMatchObject({ status: 'expired', snapshot: null, timers: [] });
    await store.close();
    await stage.open();
    await expect(stage.host.start('research', { id: 'checkpoint:x' })).rejects.toThrow(
      /begin with/,
    );
  });

  test('saving with the same name replaces the save point', async () => {
    let n = 0;
    const { ports } = agents(() => ({ n: (n += 1) }));
    const stage = await stageWith({ ports });
    await stage.host.start('loop', { id: 'l' });
    await stage.until(async () => (await stage.host.get('l')).ended, 'the end');
    expect(await stage.host.checkpoints('l')).toHaveLength(1);
    const saved = (await stage.events('l')).filter(({ type }) => type === 'checkpoint.saved');
    expect(saved).toHaveLength(20);
    expect(saved.every(({ kept }) => kept === true)).toBe(true);
    await stage.host.fork('l', { checkpoint: 'round', id: 'last' });
    await stage.until(async () => (await stage.host.get('last')).ended, 'the end of the copy');
    expect(await stage.output('last')).toEqual({ n: 20 });
  });

  test.each([
    ['an earlier', ['2d', '1h'], 1],
    ['a later', ['1h', '2d'], 48],
    ['no', ['1h', undefined], undefined],
    ['a first', [undefined, '1h'], 1],
  ] as const)(
    'a save point that is saved again with %s expiry follows the new one',
    async (_, ttls, hours) => {
      const clock = manualClock({ startAt: 5_000 });
      const place = places[kind]!();
      const [first, second] = ttls.map((TTL) => checkpoint('here', TTL ? { TTL } : {}));
      const twice = compile(
        JSON.stringify({
          StartAt: 'First',
          States: { First: { ...first, Next: 'Second' }, Second: { ...second, End: true } },
        }),
        { format: 'asl' },
      );
      const stage = await Stage.open({ store: place, definitions: { twice }, clock });
      await stage.host.start('twice', { id: 'r' });
      await stage.until(async () => (await stage.host.get('r')).ended, 'the end');
      const expiresAt = hours && 5_000 + hours * 3_600_000;
      const [saved] = await stage.host.checkpoints('r');
      expect(saved?.expiresAt).toBe(expiresAt);
      for (const hour of [1, 47]) {
        clock.set(clock.now() + hour * 3_600_000);
        await stage.host.settle();
        const isKept = expiresAt === undefined || clock.now() < expiresAt;
        expect(await stage.host.checkpoints('r')).toHaveLength(isKept ? 1 : 0);
        await stage.host.stop();
        const store = await place.open('the test');
        expect(await store.read('checkpoint:r/here')).toMatchObject(
          isKept ? { status: 'kept' } : { status: 'expired', snapshot: null },
        );
        await store.close();
        await stage.open();
      }
    },
  );
});
