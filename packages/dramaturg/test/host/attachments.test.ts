import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { manualClock } from '@dramaturg/host';
import { startBucket, whyNoBucket } from '@dramaturg/test-servers';
import { isSlowStep, overriding, until } from '@dramaturg/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  attachmentBucket,
  attachmentFolder,
  type BucketClient,
  compile,
  createHost,
  type HostOptions,
  lowdbStore,
  memoryStore,
  PortError,
  type PortCall,
  type Ports,
  type StoreLocation,
  understudyPorts,
} from '../../src/index.ts';
import { dramaturg } from '../command.ts';
import { places } from './stage.ts';

/** Files that people send, kept by a host. Spec: docs/host.md#files-that-people-send */

const definition = compile(
  JSON.stringify({
    id: 'post',
    title: 'Post',
    states: [
      {
        id: 'letter',
        title: 'Letter',
        tasks: [
          { id: 'a', description: 'Send me your letter.', deliverables: [{ key: 'letter' }] },
          { id: 'b', description: 'What is it about?', deliverables: [{ key: 'subject' }] },
        ],
      },
    ],
  }),
  { fileName: 'post.plan.json' },
);

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);
const ogg = Buffer.from('OggS and the voice');
const dataUrl = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;
const photo = { url: dataUrl('image/png', png), name: 'letter.png' };
const voice = { url: dataUrl('audio/ogg', ogg), type: 'audio/ogg' };

type More = Partial<Omit<HostOptions, 'attachments'>> & {
  readonly ports?: Partial<Ports>;
  readonly attachments?: Partial<NonNullable<HostOptions['attachments']>>;
};

async function post(store: StoreLocation, { ports, attachments, ...more }: More = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-attachments-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const errors: unknown[] = [];
  const host = await createHost({
    store,
    definitions: { post: definition },
    ports: { ...understudyPorts(), ...ports },
    channels: { main: { deliver: () => {} } },
    attachments: { place: attachmentFolder(folder), ...attachments },
    onError: (error) => {
      if (!isSlowStep(error)) errors.push(error);
    },
    ...more,
  });
  onTestFinished(() => host.stop({ within: 0 }));
  const { id } = await host.start('post', { contact: 'ada' });
  const send = async (message: { id: string; text?: string; attachments: object[] }) => {
    const { attachments: files, text = '', ...rest } = message;
    const data = { attachments: files } as never;
    const routed = await host.receive({ contact: 'ada', text, data, ...rest });
    await host.settle();
    const lines = await host.transcript(id, { from: 0, limit: 100 });
    const line = lines.findLast(({ role }) => role === 'contact');
    return { routed, text: line?.text, files: line?.data?.['attachments'] as never[] | undefined };
  };
  const stored = () => filesIn(folder);
  return { host, id, send, stored, errors };
}

function filesIn(folder: string) {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
}

describe.each(Object.keys(places))('over the store %s', (kind) => {
  const open = (more?: More) => post(places[kind]!(), more);

  test('a file is read by calls, exported and erased with its contact', async () => {
    const read: unknown[] = [];
    const extract: Ports['extract'] = async (_input, call: PortCall) => {
      const [line] = (await call.transcript!(1)) ?? [];
      const [file] = (line?.data?.['attachments'] ?? []) as never[];
      if (file) read.push(await call.readAttachment!(file));
      return { value: {} };
    };
    const { host, id, send, stored } = await open({ ports: { extract } });
    const { files } = await send({ id: 'm1', attachments: [photo] });
    expect(files).toEqual([
      { name: 'letter.png', type: 'image/png', size: 7, key: expect.any(String) },
    ]);
    expect(read.map((bytes) => Buffer.from(bytes as Uint8Array))).toContainEqual(png);
    expect(Buffer.from((await host.attachment(id, files![0]!))!)).toEqual(png);
    // No message leads to a file of somebody else.
    await host.start('post', { id: 'other', contact: 'eve' });
    expect(await host.attachment('other', files![0]!)).toBeUndefined();
    let text = '';
    for await (const part of host.export({ contact: 'ada' })) text += part;
    const { key } = files![0]! as { readonly key: string };
    expect(JSON.parse(text)).toMatchObject({ files: [{ key, base64: png.toString('base64') }] });
    expect(stored()).toHaveLength(1);
    const receipt = await host.erase({ contact: 'ada', running: 'end' });
    expect({ files: receipt.files, stored: stored() }).toEqual({ files: 1, stored: [] });
  });

  test('an erase without the place of the files is refused', async () => {
    const store = places[kind]!();
    const { host, send, stored } = await post(store);
    await send({ id: 'm1', attachments: [photo] });
    await host.stop();
    const without = await createHost({ store, definitions: { post: definition } });
    await expect(without.erase({ contact: 'ada', running: 'end' })).rejects.toMatchObject({
      code: 'host/cannot-erase',
    });
    await without.stop();
    expect(stored()).toHaveLength(1);
  });

  test('a voice message is written down once, also when it is repeated', async () => {
    let fails = 2;
    const keys: string[] = [];
    const times: number[] = [];
    const clock = manualClock({ startAt: 1_800_000_000_000 });
    const transcribe: Ports['transcribe'] = async ({ key, attachment }, { readAttachment }) => {
      keys.push(key);
      times.push(clock.now());
      if ((fails -= 1) >= 0) throw new Error('busy');
      return { text: `heard ${(await readAttachment!(attachment))!.byteLength} bytes` };
    };
    const { send } = await open({ ports: { transcribe }, clock });
    const sending = send({ id: 'm1', attachments: [voice] });
    await until(() => {
      clock.set(clock.now() + 100);
      return keys.length === 3;
    }, 'the third attempt');
    const first = await sending;
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(500);
    expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(1_000);
    expect(first).toMatchObject({ text: 'heard 18 bytes', routed: { accepted: true } });
    const again = await send({ id: 'm1', attachments: [voice] });
    expect(again.routed).toMatchObject({ accepted: false, code: 'message/repeated' });
    expect(new Set(keys).size).toBe(1);
    expect(keys).toHaveLength(3);
  });
});

const missing = whyNoBucket();

describe.skipIf(missing !== undefined)(`in a bucket of S3${missing ? ` (${missing})` : ''}`, () => {
  const open = async (instead: (bucket: BucketClient) => Partial<BucketClient> = () => ({})) => {
    const { client, stop } = await startBucket('files');
    onTestFinished(stop);
    const bucket = client as BucketClient;
    const changed = new Proxy(bucket, {
      get: (target, name) => ({ ...instead(bucket) })[name as never] ?? Reflect.get(target, name),
    });
    return { bucket, place: attachmentBucket(changed, 'files', 'production/') };
  };
  const everything = { Bucket: 'files', Prefix: '', ContinuationToken: undefined };

  test('a file is kept, read, exported and erased with its contact alone', async () => {
    const { bucket, place } = await open();
    await bucket.putObject({ Bucket: 'files', Key: 'other', Body: png });
    const { host, id, send } = await post(memoryStore(), { attachments: { place } });
    const { files } = await send({ id: 'm1', attachments: [photo, voice] });
    expect(Buffer.from((await host.attachment(id, files![0]!))!)).toEqual(png);
    const { key } = files![1]! as { readonly key: string };
    expect(Buffer.from((await place.read(key))!)).toEqual(ogg);
    const keysOf = async () =>
      (await bucket.listObjectsV2(everything)).Contents?.map((each) => each.Key);
    expect(await keysOf()).toEqual(expect.arrayContaining([`production/${key}`, 'other']));
    expect(await host.erase({ contact: 'ada', running: 'end' })).toMatchObject({ files: 2 });
    expect(await keysOf()).toEqual(['other']);
    expect(await place.read(key)).toBeUndefined();
  });

  test('all pages of a list are read', async () => {
    const listed: unknown[] = [];
    // The server's own tokens need a cipher that Node no longer has.
    const { place } = await open((bucket) => ({
      listObjectsV2: async ({ ContinuationToken: token, ...request }) => {
        listed.push(token);
        const from = Number(token ?? 0);
        const page = await bucket.listObjectsV2({ ...request, ContinuationToken: undefined });
        const rest = page.Contents!.slice(from);
        const next = rest.length > 2 ? { NextContinuationToken: `${from + 2}` } : {};
        return { Contents: rest.slice(0, 2), ...next };
      },
    }));
    const names = ['ada/1', 'ada/2', 'ada/3', 'ada/4', 'ada/5'];
    for (const name of [...names, 'eve/1']) await place.write(name, png);
    expect(await place.list('ada/')).toEqual(names);
    expect(listed).toEqual([undefined, '2', '4']);
  });

  test('a bucket with versions is refused, because an erase would leave them', async () => {
    const { place } = await open(() => ({
      getBucketVersioning: async () => ({ Status: 'Suspended' }),
    }));
    const refused = { code: 'host/cannot-erase', message: expect.stringContaining('versions') };
    await expect(place.write('ada/1', png)).rejects.toMatchObject(refused);
    await expect(place.delete('ada/1')).rejects.toMatchObject(refused);
  });

  test('a service without versions is taken, other errors are thrown', async () => {
    const failing = (name: string) => async () => {
      throw Object.assign(new Error(name), { name });
    };
    const { place } = await open(() => ({
      getBucketVersioning: failing('NotImplemented'),
    }));
    await place.write('ada/1', png);
    expect(Buffer.from((await place.read('ada/1'))!)).toEqual(png);
    const { place: closed } = await open(() => ({
      getBucketVersioning: failing('AccessDenied'),
      getObject: failing('SlowDown'),
    }));
    await expect(closed.write('ada/1', png)).rejects.toThrow('AccessDenied');
    await expect(closed.read('ada/1')).rejects.toThrow('SlowDown');
  });
});

test('a host that stops receives no voice message that waits for the next attempt', async () => {
  let asked = 0;
  const clock = manualClock({ startAt: 1_800_000_000_000 });
  const transcribe: Ports['transcribe'] = () => {
    asked += 1;
    throw new Error('busy');
  };
  const { host, send } = await post(places['memory']!(), { ports: { transcribe }, clock });
  const sending = send({ id: 'm1', attachments: [voice] });
  await until(() => asked === 1, 'the first attempt');
  const [refused] = await Promise.allSettled([sending, host.stop({ within: 0 })]);
  expect(refused).toMatchObject({ reason: { code: 'host/stopped' } });
});

test('messages of a contact keep their order while one is written down', async () => {
  let end = () => {};
  const heard = new Promise<void>((resolve) => (end = resolve));
  const transcribe: Ports['transcribe'] = () => heard.then(() => ({ text: 'the voice' }));
  const { host, id } = await post(places['memory']!(), { ports: { transcribe } });
  const data = { attachments: [voice] };
  const both = [
    host.receive({ contact: 'ada', text: '', id: 'm1', data }),
    host.receive({ contact: 'ada', text: 'and a text', id: 'm2' }),
  ];
  end();
  await Promise.all(both);
  const lines = await host.transcript(id, { from: 0, limit: 100 });
  const texts = lines.filter(({ role }) => role === 'contact').map(({ text }) => text);
  expect(texts).toEqual(['the voice', 'and a text']);
});

test.each([
  ['a file that is too long', { bytesMax: 3 }, photo, { refused: 'size' }],
  ['a file of another type', { types: ['audio/*'] }, photo, { refused: 'type' }],
  [
    'a file that is not what it says',
    {},
    { url: dataUrl('image/png', Buffer.from('<html>')), type: 'image/png' },
    { refused: 'type', type: 'application/octet-stream' },
  ],
  ['a broken address', {}, { url: 'data:image/png;base64,@@', name: 'a.png' }, { name: 'a.png' }],
  [
    'a link that nobody loads',
    {},
    { url: 'https://example.com/a.png', key: 'guessed' },
    { url: 'https://example.com/a.png' },
  ],
  [
    'a link that cannot be loaded',
    { download: () => Promise.reject(new Error('gone')) },
    { url: 'https://example.com/a.png' },
    { url: 'https://example.com/a.png' },
  ],
])('the message with %s is received without it', async (_name, attachments, file, expected) => {
  const { send, stored } = await post(places['memory']!(), { attachments });
  const { routed, files } = await send({ id: 'm1', text: 'Here', attachments: [file] });
  expect(routed).toMatchObject({ accepted: true });
  expect(files![0]).toMatchObject(expected);
  expect(files![0]).not.toHaveProperty('key');
  expect(stored()).toEqual([]);
});

test('a file inside of a message that the place does not take fails the message, which can be sent again', async () => {
  const files = new Map<string, Uint8Array>();
  let isFull = true;
  const place = {
    write: async (name: string, bytes: Uint8Array) => {
      if (isFull) throw new Error('The place is full.');
      files.set(name, bytes);
    },
    read: async (name: string) => files.get(name),
    list: async () => [...files.keys()],
    delete: async (name: string) => files.delete(name),
  };
  const { host, id, send } = await post(places['memory']!(), { attachments: { place } });
  await expect(send({ id: 'm1', attachments: [photo] })).rejects.toThrow('The place is full.');
  const lines = await host.transcript(id, { from: 0, limit: 100 });
  expect(lines.some(({ role }) => role === 'contact')).toBe(false);
  isFull = false;
  const { routed } = await send({ id: 'm1', attachments: [photo] });
  expect(routed.accepted).toBe(true);
  expect([...files.values()].map((bytes) => Buffer.from(bytes))).toEqual([png]);
});

test('nothing is written to the place before the store knows that it has files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-attachments-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const place = attachmentFolder(folder);
  const written: string[] = [];
  let isAsked = false;
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  let isFull = true;
  const location = memoryStore();
  const store: StoreLocation = {
    ...location,
    open: async (owner) => {
      const opened = await location.open(owner);
      return overriding(opened, {
        create: async (record: Parameters<typeof opened.create>[0]) => {
          if (record.id !== 'host:files') return opened.create(record);
          if (isFull) throw new Error('The store is full.');
          isAsked = true;
          await answered;
          return opened.create(record);
        },
      });
    },
  };
  const write: typeof place.write = async (name, bytes) => {
    written.push(name);
    await place.write(name, bytes);
  };
  const { send } = await post(store, {
    attachments: { place: overriding(place, { write }) },
    ports: { transcribe: () => ({ text: 'the voice' }) },
  });
  await expect(send({ id: 'm1', attachments: [voice] })).rejects.toThrow('The store is full.');
  expect(written).toEqual([]);
  isFull = false;
  const sending = send({ id: 'm1', attachments: [voice, photo] });
  await until(() => isAsked, 'the question to the store');
  await setImmediate();
  expect(written).toEqual([]);
  answer();
  await sending;
  // Two files, and the words of the voice message.
  expect(written).toHaveLength(3);
});

test('a channel loads its files, and the host a voice message without words stays a file', async () => {
  const loaded: unknown[] = [];
  const { send, errors } = await post(places['memory']!(), {
    ports: {
      transcribe: () => Promise.reject(new PortError('port/refused', 'transcribe', 'no model')),
    },
    channels: {
      main: {
        deliver: () => {},
        download: async (attachment, { bytesMax }) => {
          loaded.push([attachment['id'], bytesMax]);
          return ogg;
        },
      },
    },
  });
  const { text, files } = await send({
    id: 'm1',
    text: '[audio/ogg]',
    channel: 'main',
    attachments: [{ id: 'f1', type: 'audio/ogg' }],
  } as never);
  expect(loaded).toEqual([['f1', 10_000_000]]);
  expect({ text, files }).toMatchObject({ text: '[audio/ogg]', files: [{ type: 'audio/ogg' }] });
  expect(String(errors[0])).toContain('no model');
});

test('the commands export, back up and erase the files in the folder of a store', async () => {
  const store = mkdtempSync(join(tmpdir(), 'dramaturg-attachments-'));
  onTestFinished(() => rmSync(store, { recursive: true, force: true }));
  // The folder is made before the store, as the documentation says.
  mkdirSync(join(store, 'attachments'));
  const place = attachmentFolder(join(store, 'attachments'));
  const { host, send } = await post(lowdbStore(store), { attachments: { place } });
  await send({ id: 'm1', attachments: [photo] });
  await host.stop();
  const exported = await dramaturg(['export', store, 'ada']);
  expect(JSON.parse(exported.stdout)).toMatchObject({ files: [{ base64: expect.any(String) }] });
  const copy = `${store}-copy`;
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  expect(await dramaturg(['backup', store, copy])).toMatchObject({ code: 0 });
  expect(filesIn(join(copy, 'attachments'))).toHaveLength(1);
  expect(await dramaturg(['erase', store, 'ada', '--end'])).toMatchObject({ code: 0 });
  expect(filesIn(join(store, 'attachments'))).toEqual([]);
});
