import { overriding, until } from '@dramaturg/testing';
import { expect, test } from 'vitest';
import { createHost, memoryStore, type Store } from '../../src/index.ts';
import { example } from '../service/stage.ts';

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('a host that stops at any operation of its recovery leaves no call that is not aborted', async () => {
  const intake = await example('customer-intake.plan');
  const shared = await memoryStore().open('a test');
  let made: AbortSignal[] = [];
  const openHost = (before: () => Promise<void>) => {
    const waiting = <Name extends 'read' | 'list' | 'pending' | 'due' | 'create' | 'commit'>(
      name: Name,
    ) =>
      (async (...given: unknown[]) => {
        await before();
        return Reflect.apply(shared[name], shared, given) as unknown;
      }) as unknown as Store[Name];
    return createHost({
      store: {
        read: async () => shared,
        open: async () =>
          overriding<Store>(shared, {
            read: waiting('read'),
            list: waiting('list'),
            pending: waiting('pending'),
            due: waiting('due'),
            create: waiting('create'),
            commit: waiting('commit'),
            close: async () => {},
          }),
      },
      definitions: { intake },
      ports: {
        reply: (_, { signal }) => {
          made.push(signal);
          return new Promise<never>(() => {});
        },
      },
      channels: { main: { deliver: () => Promise.resolve() } },
    });
  };
  const first = await openHost(async () => {});
  for (const id of ['a', 'b']) await first.start('intake', { id, contact: id });
  await until(() => made.length === 2, 'the calls');
  await first.stop({ within: 0 });
  let stopAt = 1;
  for (let isOver = false; !isOver; stopAt += 1) {
    made = [];
    let operations = 0;
    let isOpen = false;
    let reach = () => {};
    const reached = new Promise<void>((resolve) => (reach = resolve));
    const host = await openHost(async () => {
      if (!isOpen) return;
      operations += 1;
      if (operations !== stopAt) return;
      reach();
      // In the meantime the host looks for what is active.
      await turns(10);
    });
    isOpen = true;
    isOver = await Promise.race([
      reached.then(() => false),
      host.settle({ within: 20 }).then(() => true),
    ]);
    await host.stop({ within: 0 });
    await turns(10);
    expect([stopAt, made.filter(({ aborted }) => !aborted)]).toEqual([stopAt, []]);
  }
  expect(stopAt).toBeGreaterThan(3);
});
