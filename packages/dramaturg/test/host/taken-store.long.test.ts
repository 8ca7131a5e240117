import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createHost, lowdbStore, sqliteStore } from '@dramaturg/host';
import { nodeSystem, type System } from '@dramaturg/host/store';
import { HostStage, until } from '@dramaturg/testing';
import { expect, onTestFinished, test } from 'vitest';
import { lifecycles } from './lifecycles.ts';

/** Hosts whose store on a disk is taken by a host on another machine while they are stalled. */

const kinds = [
  { name: 'lowdb', storeAt: lowdbStore, replace: () => {} },
  {
    name: 'sqlite',
    storeAt: sqliteStore,
    // On this machine, the lock of the system keeps a second owner out. It does not bind the owner of a file that was replaced.
    replace: (path: string, copy: string) => {
      rmSync(`${path}-wal`, { force: true });
      renameSync(copy, path);
    },
  },
] as const;

const onError = () => {};

test.each(kinds)(
  'a stalled host whose $name store was taken does nothing outward when it goes on',
  async ({ storeAt, replace }) => {
    const folder = mkdtempSync(join(tmpdir(), 'dramaturg-taken-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'store');
    const machine = stallableMachine();
    const first = stageOn(storeAt(path, { onError, system: machine.system }));
    const second = stageOn(storeAt(path, { onError, system: quickMachine() }));
    await first.open({ callConcurrency: 1 });
    onTestFinished(() => first.host.stop({ within: 0 }));
    await first.greeted('a');
    await first.greeted('b');
    // A message that was decided and is sent again in a second, and a call that waits behind another one.
    first.channel.behave = () => {
      throw new Error('The channel is away.');
    };
    await first.host.receive({ contact: 'contact of a', text: 'Hi!', id: 'm1' });
    await first.agent.answer('Hello again.');
    const asked = () => first.channel.called.length;
    await until(() => asked() === 3, 'the first attempt to send the message');
    await first.host.receive({ contact: 'contact of b', text: 'Hi!', id: 'm2' });
    const running = await first.agent.next();
    await first.host.start('chat', { id: 'c', contact: 'contact of c' });
    await first.host.backup(join(folder, 'copy'));
    machine.stall();
    const before = { asked: asked(), made: [...first.agent.made] };
    replace(path, join(folder, 'copy'));
    await second.open();
    onTestFinished(() => second.host.stop({ within: 0 }));
    machine.goOn();
    first.channel.behave = () => {};
    running.resolve({ text: 'Too late.' } as never);
    await until(() => second.channel.texts.length === 1, 'the message, from the second host');
    await until(() => second.agent.open.length === 2, 'the calls of the second host');
    await pause(2_000);
    expect({ asked: asked(), made: first.agent.made }).toEqual(before);
    const loss = await first.host.stopped;
    expect(loss).toMatchObject({ code: 'store/lost' });
    await expect(first.host.get('a')).rejects.toBe(loss);
    const losses = first.trouble.filter(({ error }) => error === loss);
    expect(losses).toEqual([{ error: loss, doing: 'keeping the store' }]);
    await second.agent.answer('Hello to you.');
    await second.agent.answer('Hello to you, too.');
    await until(() => second.channel.texts.length === 3, 'the other messages');
  },
);

test.each(kinds)(
  'a host whose $name store cannot be confirmed waits, and goes on with its store',
  async ({ storeAt }) => {
    const folder = mkdtempSync(join(tmpdir(), 'dramaturg-taken-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const machine = stallableMachine();
    const errors: unknown[] = [];
    const given = { onError: ({ code }: { code: string }) => errors.push(code) };
    const stage = stageOn(storeAt(join(folder, 'store'), { ...given, system: machine.system }));
    await stage.open();
    onTestFinished(() => stage.host.stop({ within: 0 }));
    await stage.greeted('a');
    machine.stall();
    machine.goOn();
    machine.failRenewals(true);
    await stage.host.receive({ contact: 'contact of a', text: 'Hi!', id: 'm1' });
    await pause(200);
    expect(stage.agent.open).toEqual([]);
    expect(errors).toEqual(['store/failed']);
    machine.failRenewals(false);
    await stage.agent.answer('Hello again.');
    await until(() => stage.channel.texts.length === 2, 'the message');
  },
);

function stageOn(store: ReturnType<typeof lowdbStore>): HostStage {
  return new HostStage({ open: (options) => createHost({ ...options, store }) }, lifecycles);
}

/** Another machine, which cannot see the processes of this one. It waits a hundredth of the time. */
function quickMachine(): System {
  const { scheduler, ...rest } = nodeSystem();
  return {
    ...rest,
    scheduler: { ...scheduler, pause: (ms) => scheduler.pause(ms / 100) },
    processes: { self: () => ({ pid: 1, host: 'elsewhere' }), isAlive: () => undefined },
  };
}

/**
 * During the stall it renews nothing, and from then on it is ten seconds later, and the timers of the lock do not fire: as for a process
 * that goes on after a SIGCONT.
 */
function stallableMachine() {
  const { scheduler, files, ...rest } = nodeSystem();
  let isStalled = false;
  let isFailing = false;
  let goOn = () => {};
  let during = Promise.resolve();
  const system: System = {
    ...rest,
    files: {
      ...files,
      touch: async (path, at) => {
        await during;
        if (isFailing) throw new Error('EIO: i/o error');
        await files.touch(path, at);
      },
    },
    scheduler: {
      ...scheduler,
      now: () => scheduler.now() + (isStalled ? 10_000 : 0),
      after: (ms, run) => scheduler.after(ms, () => (isStalled ? undefined : run())),
    },
  };
  return {
    system,
    stall: () => {
      isStalled = true;
      during = new Promise((resolve) => {
        goOn = resolve;
      });
    },
    goOn: () => goOn(),
    failRenewals: (fails: boolean) => {
      isFailing = fails;
    },
  };
}
