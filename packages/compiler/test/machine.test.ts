import {
  type AnyActorRef,
  createActor,
  getInitialMicrosteps,
  getInitialSnapshot,
  getMicrosteps,
  getNextSnapshot,
  toPromise,
} from 'xstate';
import { describe, expect, test } from 'vitest';
import { link, type LinkOptions, providePorts } from '../src/index.ts';
import { realWorld } from '../src/entries/machine.ts';
import { asking, batch } from './batch-format.ts';

const runAgent = ({ input }: { input: unknown }) => ({ result: [input] as never });

const answered = { type: 'xstate.done.actor.task', actorId: 'task', output: { result: 'yes' } };

describe('a linked machine', () => {
  test.each([{}, { fuse: false }])(
    'is asked by pure functions for what an actor would do, with %j',
    (options: LinkOptions) => {
      const machine = link(asking, batch, options);
      const first = getInitialSnapshot(machine, 'a');
      expect([first.value, first.children['task']?.id]).toEqual(['asking', 'task']);
      const last = getNextSnapshot(machine, first, answered);
      expect([last.status, last.output, last.value, last.children]).toEqual([
        'done',
        'yes',
        'end',
        {},
      ]);
      // These go past the machine's own `transition`.
      expect(getInitialMicrosteps(machine, 'a').length).toBeGreaterThan(0);
      expect(getMicrosteps(machine, first, answered).at(-1)![0].output).toBe('yes');
    },
  );

  test('can be provided with ports again', async () => {
    const once = providePorts(link(asking, batch), {
      runAgent: () => {
        throw new Error('The first port is still asked.');
      },
    });
    const twice = providePorts(once, { runAgent });
    expect(await toPromise(createActor(twice, { input: 'a' }).start())).toEqual(['a']);
  });

  test('lets an inspector see its actors, events and snapshots', async () => {
    const seen: string[] = [];
    const actor = createActor(providePorts(link(asking, batch), { runAgent }), {
      input: 'a',
      inspect: ({ type, actorRef }) => seen.push(`${type} ${(actorRef as AnyActorRef).id}`),
      id: 'root',
    });
    await toPromise(actor.start());
    expect(seen.filter((line) => line.startsWith('@xstate.actor'))).toEqual([
      '@xstate.actor root',
      '@xstate.actor task',
    ]);
    expect(seen.filter((line) => line === '@xstate.event root')).toHaveLength(2);
    expect(seen.filter((line) => line === '@xstate.snapshot root')).toHaveLength(2);
  });

  test('asks for time and chance as often when it is fused as when it is not', async () => {
    const idsOf = async (options: LinkOptions) => {
      let ids = 0;
      const world = { ...realWorld, uuid: () => `id ${(ids += 1)}` };
      const actions = {
        ...batch.actions,
        tell: ({ world: { uuid } }: { world: typeof world }) => ({
          emit: [{ type: 'told', id: uuid() }],
        }),
      };
      const machine = link(asking, { ...batch, actions }, { ...options, world });
      const heard: unknown[] = [];
      const actor = createActor(providePorts(machine, { runAgent }), { input: 'a' });
      actor.on('*', ({ id }) => heard.push(id));
      await toPromise(actor.start());
      return heard;
    };
    expect(await idsOf({})).toEqual(['id 1', 'id 2']);
    expect(await idsOf({ fuse: false })).toEqual(['id 1', 'id 2']);
  });
});
