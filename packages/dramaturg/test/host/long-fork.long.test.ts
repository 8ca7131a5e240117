import { createHost, type HostError, type Store, type StoreLocation } from '@dramaturg/host';
import { rehearsalBehaviour, rehearsalCharts } from '@dramaturg/testing';
import { type Host, memoryStore } from 'dramaturg';
import { expect, onTestFinished, test } from 'vitest';
import { lifecycles } from './lifecycles.ts';

const whole = { from: 0, limit: 10_000 };
const turns = 120;

test('a long fork has all steps and messages of the original, and goes on', async () => {
  const { host, steps } = await longConversation();
  await host.fork('i', { step: steps, id: 'f' });
  const [original, fork] = [await host.get('i'), await host.get('f')];
  expect(fork).toMatchObject({ state: original.state, flow: original.flow, ended: false });
  const texts = async (id: string) => (await host.transcript(id, whole)).map(({ text }) => text);
  expect(await texts('f')).toEqual(await texts('i'));
  expect(await stepsOf(host, 'f')).toBe(steps);
  await host.send('f', { type: 'message.received', text: 'And now?' });
  await host.settle();
  expect(await texts('f')).toContain('You said And now?');
  await host.fork('f', { step: steps + 1, id: 'g' });
});

test('a long fork reads and writes in pages, and the event loop gets a turn after every few steps', async () => {
  const sizes: number[] = [];
  const { host, steps } = await longConversation({
    create: (store, record) => {
      sizes.push((record.journal?.length ?? 0) + (record.transcript?.length ?? 0));
      return store.create(record);
    },
    commit: (store, change) => {
      sizes.push((change.journal?.length ?? 0) + (change.transcript?.length ?? 0));
      return store.commit(change);
    },
    journal: (store, id, range) => {
      expect(range.limit).toBeLessThanOrEqual(100);
      return store.journal(id, range);
    },
  });
  sizes.length = 0;
  let turnsOfLoop = 0;
  let isCounting = true;
  const count = () => {
    turnsOfLoop += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  const progress: number[] = [];
  await host.fork('i', { step: steps, id: 'f', onProgress: (done) => progress.push(done) });
  isCounting = false;
  expect(turnsOfLoop).toBeGreaterThan(steps / 8);
  expect(sizes.length).toBeGreaterThan(2);
  expect(Math.max(...sizes)).toBeLessThan(1_000);
  expect(progress).toEqual(progress.toSorted((one, other) => one - other));
  expect(progress.at(-1)).toBe(steps);
});

test('other instances work while one is forked, and the fork cannot be used before it is complete', async () => {
  const { host, steps } = await longConversation();
  await host.start('chat', { id: 'other', contact: 'bea' });
  await host.settle();
  let during: Promise<unknown> | undefined;
  await host.fork('i', {
    step: steps,
    id: 'f',
    onProgress: (done) => {
      if (done < steps / 2 || during) return;
      during = Promise.all([
        host.receive({ contact: 'bea', text: 'Are you there?' }),
        expect(host.get('f')).resolves.toMatchObject({ state: 'forking', ended: false }),
        expect(host.send('f', { type: 'message.received', text: 'x' })).rejects.toThrow(
          'still being copied',
        ),
      ]);
    },
  });
  await during;
  expect(during).toBeDefined();
  expect(await host.get('f')).toMatchObject({ state: 'WAITING_FOR_REPLY' });
  expect((await host.transcript('other', whole)).map(({ text }) => text)).toContain(
    'Are you there?',
  );
});

test('a fork that is no longer wanted stops, and leaves nothing in the store', async () => {
  const { host, steps } = await longConversation();
  const leaving = new AbortController();
  const forking = host.fork('i', {
    step: steps,
    id: 'f',
    signal: leaving.signal,
    onProgress: (done) => {
      if (done > steps / 2) leaving.abort(new Error('nobody waits'));
    },
  });
  await expect(forking).rejects.toThrow('nobody waits');
  await expect(host.get('f')).rejects.toThrow('There is no instance "f"');
  await host.fork('i', { step: 10, id: 'f' });
});

test('a fork that turns out to be impossible leaves nothing in the store', async () => {
  const { host, steps } = await longConversation();
  await expect(host.fork('i', { step: steps + 1, id: 'f' })).rejects.toThrow(
    `it has taken ${steps} steps`,
  );
  await expect(host.get('f')).rejects.toThrow('There is no instance "f"');
});

test('a host that stops ends its forks, and nothing of them is stored', async () => {
  const { host, steps, place } = await longConversation();
  let stopped: Promise<void> | undefined;
  const forking = host.fork('i', {
    step: steps,
    id: 'f',
    onProgress: (done) => {
      if (done > steps / 2) stopped ??= host.stop();
    },
  });
  await expect(forking).rejects.toMatchObject({
    code: 'host/stopped',
  } satisfies Partial<HostError>);
  await stopped;
  const store = await place.open('a look');
  expect(await store.read('f')).toBeUndefined();
  await store.close();
});

test('a host deletes the forks that its predecessor could not complete', async () => {
  let isDead = false;
  const never = new Promise<never>(() => {});
  const { host, steps, place, open } = await longConversation({
    create: (store, record) => (isDead ? never : store.create(record)),
    commit: (store, change) => (isDead ? never : store.commit(change)),
    delete: (store, id) => (isDead ? never : store.delete(id)),
  });
  const dead = new Promise<void>((resolve) => {
    const onProgress = (done: number) => {
      if (done < steps / 2) return;
      isDead = true;
      resolve();
    };
    void host.fork('i', { step: steps, id: 'f', onProgress }).catch(() => {});
  });
  await dead;
  place.robbed();
  isDead = false;
  const next = await open();
  await expect(next.get('f')).rejects.toThrow('There is no instance "f"');
  expect(await next.get('i')).toMatchObject({ state: 'WAITING_FOR_REPLY' });
});

type Tap = {
  readonly [Name in 'create' | 'commit' | 'delete' | 'journal']?: (
    store: Store,
    ...args: Parameters<Store[Name]>
  ) => ReturnType<Store[Name]>;
};

/** A host with a conversation of many steps. */
async function longConversation(tap: Tap = {}) {
  const place = tapped(memoryStore(), tap);
  const open = async (): Promise<Host> => {
    const opened = await createHost({
      store: place,
      definitions: [
        { name: 'chat', chart: rehearsalCharts.chat, lifecycle: lifecycles.conversation },
      ],
      behaviours: new Map([
        ['rehearsal', rehearsalBehaviour],
        ['lifecycle', lifecycles.behaviour],
      ]),
      ports: { reply: ({ message }) => ({ text: `You said ${message}` }) },
      channels: { main: { deliver: () => {} } },
    });
    onTestFinished(() => opened.stop({ within: 0 }));
    return opened as unknown as Host;
  };
  const host = await open();
  await host.start('chat', { id: 'i', contact: 'ada' });
  await host.settle();
  for (let turn = 0; turn < turns; turn += 1) {
    await host.receive({ contact: 'ada', text: `This is message ${turn}.` });
    await host.settle();
  }
  return { host, place, open, steps: await stepsOf(host, 'i') };
}

async function stepsOf(host: Host, id: string): Promise<number> {
  const lines = await host.journal(id, whole);
  return lines.filter((line) => Object(line).source === 'step').length;
}

/** Intercepts calls of a store. After `robbed`, the next owner gets it although the last one has not closed it. */
function tapped(location: StoreLocation, tap: Tap): StoreLocation & { robbed: () => void } {
  let owned: Store | undefined;
  let isRobbed = false;
  return {
    read: () => location.read(),
    open: async (owner) => {
      const store = isRobbed && owned ? owned : await location.open(owner);
      owned = store;
      const intercepted = (name: string | symbol) => tap[name as keyof Tap] as unknown;
      return new Proxy(store, {
        get: (target, name) => {
          const own = intercepted(name);
          if (typeof own === 'function') return own.bind(undefined, store) as unknown;
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        },
      });
    },
    robbed: () => {
      isRobbed = true;
    },
  };
}
