import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualClock } from '@dramaturg/host';
import { filesWith, until } from '@dramaturg/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createHost,
  type Host,
  type HostOptions,
  lowdbStore,
  memoryStore,
  sqliteStore,
  type Store,
  type StoreLocation,
  understudyPorts,
} from '../../src/index.ts';
import { scaled } from '../../../../.config/scaled.ts';
import { openHost, Person } from './person.ts';

/** A place for a host, in a folder of its own that also has its memories. */
interface Place {
  readonly store: StoreLocation;
  readonly folder: string;
}

const kinds: Readonly<Record<string, (folder: string) => StoreLocation>> = {
  memory: memoryStore,
  lowdb: (folder) => lowdbStore(join(folder, 'store')),
  sqlite: (folder) => sqliteStore(join(folder, 'store.sqlite')),
};

describe.each(Object.keys(kinds))('on %s', (kind) => {
  const newPlace = (): Place => {
    const folder = mkdtempSync(join(tmpdir(), 'dramaturg-person-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return { store: kinds[kind]!(folder), folder };
  };
  const open = async ({ store, folder }: Place, text: () => string) => {
    const host = await openHost(store, join(folder, 'memory.json'), text);
    onTestFinished(() => host.stop({ within: 0 }));
    return host;
  };

  test('no text of an erased contact is in any file, and what others have is unchanged', async () => {
    const place = newPlace();
    const count = scaled(300);
    const ada = new Person(count);
    const bob = new Person(60);
    let speaking = bob;
    const host = await open(place, () => speaking.next());
    await bob.fill(host);
    speaking = ada;
    await ada.fill(host);
    const ofBob = await exported(host, bob.contact);
    expect(bob.texts.filter((text) => !ofBob.includes(text))).toEqual([]);
    const ofAda = await exported(host, ada.contact);
    expect(ada.texts.filter((text) => !ofAda.includes(text))).toEqual([]);
    await expect(host.erase({ contact: ada.contact })).rejects.toMatchObject({
      code: 'host/instances-running',
    });
    expect(await exported(host, ada.contact)).toBe(ofAda);

    const receipt = await host.erase({ contact: ada.contact, running: 'end' });
    expect(JSON.stringify(receipt)).not.toMatch(/zq/);
    expect(receipt).toMatchObject({ savePoints: 5, memories: 4, unreadable: 0 });
    expect(receipt.instances).toBeGreaterThan(8);
    expect(receipt.lines).toBeGreaterThan(2 * count);
    expect(await exported(host, bob.contact)).toBe(ofBob);
    expect(JSON.parse(await exported(host, ada.contact))).toMatchObject({
      instances: [],
      memories: [],
    });
    expect(filesWith(place.folder, ada.texts)).toEqual({});
    await host.stop();
    expect(filesWith(place.folder, ada.texts)).toEqual({});
    const ofBobInFiles = kind === 'memory' ? 0 : bob.texts.length;
    expect(Object.keys(filesWith(place.folder, bob.texts)).length).toBeGreaterThanOrEqual(
      ofBobInFiles,
    );
  });

  test('a message during an erase has no receiver, and a start begins afterwards', async () => {
    const place = newPlace();
    const host = await open(place, () => 'hello');
    const contact = 'ada';
    await host.start('intake', { id: 'first', contact });
    await host.settle();
    const [receipt, routed, started] = await Promise.all([
      host.erase({ contact: 'ada', running: 'end' }),
      host.receive({ contact, text: 'too late' }),
      host.start('intake', { id: 'second', contact }),
    ]);
    expect(receipt).toMatchObject({ instances: 1, ended: 1 });
    expect(routed).toMatchObject({ instance: null, code: 'host/no-holder' });
    expect(started.id).toBe('second');
    await host.settle();
    expect((await host.list()).items.map(({ id }) => id)).toEqual(['second']);
    await expect(host.get('first')).rejects.toMatchObject({ code: 'host/unknown-instance' });
  });

  test('children that are being started during an erase are erased, too', async () => {
    const place = newPlace();
    const host = await open(place, () => 'note');
    const input = { note: 'note', list: [] };
    await host.start('order', { id: 'o', contact: 'ada', input: { input } });
    await host.settle();
    const [decision] = (await host.decisions({ instance: 'o' })).items;
    await host.decide(decision!.decision, { decision: 'approve' });
    await host.erase({ contact: 'ada', running: 'end' });
    await host.settle();
    expect((await host.list()).items).toEqual([]);
  });

  test('ended instances are erased when their time is over, with the agents that they have called', async () => {
    const place = newPlace();
    let now = 1_000_000;
    const clock = manualClock({ startAt: now });
    const advance = (ms: number) => clock.set((now += ms));
    const host = await openHost(place.store, join(place.folder, 'memory.json'), () => 'x', {
      clock,
      retention: { afterMs: 60_000, byDefinition: { intake: Infinity } },
    });
    onTestFinished(() => host.stop({ within: 0 }));
    for (let run = 0; run < 30; run += 1) await host.start('check', { id: `run ${run}` });
    await host.start('parent', { id: 'parent' });
    await host.start('intake', { id: 'kept', contact: 'ada' });
    await host.settle();
    await host.cancel('kept');
    await host.settle();
    const ids = async () => (await host.list()).items.map(({ id }) => id);
    expect(await ids()).toHaveLength(33);
    advance(59_000);
    await host.settle();
    expect(await ids()).toHaveLength(33);
    // Erasing works in the background, in slices.
    const isErased = async () => {
      advance(1_000);
      await host.settle();
      return (await ids()).length === 1;
    };
    await until(isErased, 'the slices');
    expect(await ids()).toEqual(['kept']);
  });

  test('a copy that is erased when its time is over leaves no record that leads to it', async () => {
    const place = newPlace();
    let now = 1_000_000;
    const clock = manualClock({ startAt: now });
    const host = await openHost(place.store, join(place.folder, 'memory.json'), () => 'x', {
      clock,
      retention: { afterMs: 60_000 },
    });
    onTestFinished(() => host.stop({ within: 0 }));
    await host.start('intake', { id: 'original', contact: 'ada' });
    await host.settle();
    await host.fork('original', { step: 1, id: 'copy' });
    await host.cancel('copy');
    await host.settle();
    const { store } = host as unknown as { readonly store: Store };
    const links = async () => (await store.list({ kind: 'copy' }, { limit: 10 })).items;
    expect(await links()).toHaveLength(1);
    const isErased = async () => {
      clock.set((now += 60_000));
      await host.settle();
      return (await host.list()).items.every(({ id }) => id !== 'copy');
    };
    await until(isErased, 'the erase of the copy');
    await until(async () => (await links()).length === 0, 'the erase of the link');
  });
});

test('a host whose port "remember" stores nothing erases without "forget", and no other does', async () => {
  const erased = async (ports: NonNullable<HostOptions['ports']>) => {
    const host = await createHost({ store: memoryStore(), definitions: {}, ports });
    onTestFinished(() => host.stop());
    return host.erase({ contact: 'ada' });
  };
  expect(await erased(understudyPorts())).toMatchObject({ instances: 0, memories: 0 });
  const remember = () => ({ stored: false });
  await expect(erased({ ...understudyPorts(), remember })).rejects.toMatchObject({
    code: 'host/cannot-erase',
  });
});

describe.each(['lowdb', 'sqlite'])('on %s', (kind) => {
  test('an erase that is cut off at any write is completed by repeating it', async () => {
    const folders: string[] = [];
    onTestFinished(() => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    });
    const newFolder = () => {
      folders.push(mkdtempSync(join(tmpdir(), 'dramaturg-person-')));
      return folders.at(-1)!;
    };
    const memoryIn = (folder: string) => join(folder, 'memory.json');
    const filled = newFolder();
    const [ada, bob] = [new Person(60), new Person(60)];
    for (const person of [ada, bob]) {
      const host = await openHost(kinds[kind]!(filled), memoryIn(filled), person.next);
      await person.fill(host);
      await host.stop();
    }
    const contentOfBob = async (host: Host) => {
      const { instances, memories } = JSON.parse(await exported(host, bob.contact));
      return { memories, transcripts: instances.map(({ transcript }: Content) => transcript) };
    };
    let before: unknown;
    for (let writes = 0, isCutOff = true; isCutOff; writes += 5) {
      const folder = newFolder();
      cpSync(filled, folder, { recursive: true });
      const store = kinds[kind]!(folder);
      const quiet = { onError: () => {} };
      const broken = await openHost(
        breaksAfter(writes, store),
        memoryIn(folder),
        () => 'nothing',
        quiet,
      );
      before ??= await contentOfBob(broken);
      isCutOff = await broken.erase({ contact: ada.contact, running: 'end' }).then(
        () => false,
        () => true,
      );
      await broken.stop({ within: 0 });
      const again = await openHost(store, memoryIn(folder), () => 'nothing', quiet);
      await again.erase({ contact: ada.contact, running: 'end' });
      expect(await contentOfBob(again)).toEqual(before);
      await again.stop();
      expect({ writes, found: filesWith(folder, ada.texts) }).toEqual({ writes, found: {} });
    }
  });
});

interface Content {
  readonly transcript: unknown;
}

async function exported(host: Host, contact: string): Promise<string> {
  let text = '';
  for await (const part of host.export({ contact })) text += part;
  return text;
}

/** A store on which all deletes, and compactions, fail after some of them, as if the process had been killed then. */
function breaksAfter(writes: number, place: StoreLocation): StoreLocation {
  let count = 0;
  const orFail = <Value>(write: () => Promise<Value>): Promise<Value> => {
    if (count >= writes) return Promise.reject(new Error('The process was killed.'));
    count += 1;
    return write();
  };
  return {
    read: () => place.read(),
    open: async (owner) => {
      const store = await place.open(owner);
      return new Proxy(store, {
        get: (_, name) => {
          if (name === 'delete') return (id: string) => orFail(() => store.delete(id));
          if (name === 'compact') return () => orFail(() => store.compact());
          const value: unknown = Reflect.get(store, name, store);
          return typeof value === 'function' ? value.bind(store) : value;
        },
      });
    },
  };
}
