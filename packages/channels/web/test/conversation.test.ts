import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  attachmentFolder,
  compile,
  conversationLifecycle,
  type Host,
  type JsonObject,
  memoryStore,
} from 'dramaturg';
import { expect, onTestFinished, test } from 'vitest';
import type { ChatFrame } from '../src/protocol.ts';
import { intake } from './intake.ts';
import { identitySecret } from './secrets.ts';
import { framesUntil, served, speaking } from './stage.ts';

const isIdle = (frame: ChatFrame) => frame.type === 'status' && frame.status === 'idle';

test('a message starts the conversation, and the reply is streamed in parts and then stored', async () => {
  const { ask, begin, say } = await served({}, { ports: speaking('Good morning to you.', 5) });
  const token = await begin();
  const stream = await ask('stream', token);

  expect(await say(token, 'message-1', 'Hello')).toBe(200);
  const frames = await framesUntil(stream, isIdle);

  expect(frames[0]).toEqual({ type: 'snapshot', messages: [], hasEarlier: false, status: 'new' });
  const types = frames.map(({ type }) => type);
  expect(types.indexOf('part')).toBeGreaterThan(0);
  expect(frames.filter(({ type }) => type === 'message')).toMatchObject([
    { message: { id: 'message-1', from: 'visitor', text: 'Hello' } },
    { message: { from: 'agent', text: 'Good morning to you.' } },
  ]);
  const parts = frames.flatMap((frame) => (frame.type === 'part' ? [frame] : []));
  expect(parts.map(({ text }) => text).join('')).toBe('Good morning to you.');
  expect(frames).toContainEqual({ type: 'status', status: 'typing' });
});

test('a visitor sees who has written, and nothing of the host', async () => {
  const { host, ask, begin, say } = await served();
  const token = await begin();
  const stream = await ask('stream', token);
  await say(token, 'message-1', 'Hello');
  await framesUntil(stream, isIdle);
  const { items } = await host.list();
  await host.intervene(items[0]!.id, 'I am a person.');

  const [snapshot] = await framesUntil(await ask('stream', token), () => true);

  expect(snapshot).toMatchObject({
    messages: [{ from: 'visitor' }, { from: 'agent' }, { from: 'person', text: 'I am a person.' }],
  });
  expect(JSON.stringify(snapshot)).not.toMatch(/deliverable|instance|definition|intake|state/);
});

test('a message that the visitor has seen is reported as read, and only to its own conversation', async () => {
  const { host, ask, begin, say } = await served();
  const [token, other] = [await begin(), await begin()];
  await say(token, 'message-1', 'Hello');
  await host.settle();
  const [conversation] = (await host.list()).items.map(({ id }) => id);
  const lines = () => host.transcript(conversation!, { from: 0, limit: 100 });
  const { id } = (await lines()).find(({ role }) => role === 'agent')!;
  const statusOf = async (who: string, body: object) => (await ask('read', who, body)).status;

  expect(await statusOf(other, { conversation, id })).toBe(404);
  expect(await statusOf(token, { conversation: 'nothing', id })).toBe(404);
  expect(await statusOf(token, { conversation, id: 'message-1' })).toBe(404);
  expect((await lines()).every(({ delivery }) => delivery?.status !== 'read')).toBe(true);
  expect(await statusOf(token, { conversation, id })).toBe(200);

  const line = (await lines()).find((each) => each.id === id);
  expect(line?.delivery).toMatchObject({ status: 'read' });
});

test('attachments of a message are links', async () => {
  const { host, ask, begin, say } = await served({ identitySecret });
  const token = await begin();
  await say(token, 'message-1', 'Hello');
  await host.settle();
  const contact = (await host.list()).items[0]!.contact!;
  const attachments = [{ url: 'https://example.com/a.pdf', name: 'a.pdf' }, { url: 7 }, null];
  const stream = await ask('stream', token);
  await host.receive({ contact, id: 'message-2', text: 'A file', data: { attachments } });

  const links = [{ url: 'https://example.com/a.pdf', name: 'a.pdf' }];
  const frames = await framesUntil(
    stream,
    (frame) => frame.type === 'message' && frame.message.id === 'message-2',
  );
  expect(frames.at(-1)).toMatchObject({ message: { text: 'A file', links } });
  const [snapshot] = await framesUntil(await ask('stream', token), () => true);
  const messages = snapshot?.type === 'snapshot' ? snapshot.messages : [];
  expect(messages.find(({ id }) => id === 'message-2')).toMatchObject({ text: 'A file', links });
});

test('files of a visitor are kept, named, and refused where the host takes none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-files-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { host, ask, begin } = await served(
    {},
    { attachments: { place: attachmentFolder(folder) } },
  );
  const token = await begin();
  const letters = Buffer.alloc(2_000_000, 'letter');
  const url = `data:application/pdf;base64,${Buffer.from(`%PDF-${letters.toString()}`).toString('base64')}`;
  const files = [
    { name: 'letter.pdf', url },
    { name: 'tool.exe', url: 'data:,MZ' },
    { name: 'broken.png', url: 'data:image/png;base64,%%' },
  ];
  const message = { id: 'message-1', text: '', files };
  // A repeated message is stored once.
  for (const attempt of [1, 2])
    expect([attempt, (await ask('messages', token, message)).status]).toEqual([attempt, 200]);
  await host.settle();

  const [snapshot] = await framesUntil(await ask('stream', token), () => true);
  const messages = snapshot?.type === 'snapshot' ? snapshot.messages : [];
  expect(messages.filter(({ from }) => from === 'visitor')).toMatchObject([
    {
      text: '[letter.pdf, tool.exe, broken.png]',
      files: [
        { name: 'letter.pdf' },
        { name: 'tool.exe', isRefused: true },
        { name: 'broken.png', isRefused: true },
      ],
    },
  ]);
  const { id } = (await host.list()).items[0]!;
  const [line] = await host
    .transcript(id, { from: 0, limit: 10 })
    .then((lines) => lines.filter(({ role }) => role === 'contact'));
  const [kept] = line!.data!['attachments'] as JsonObject[];
  expect((await host.attachment(id, kept!))!.byteLength).toBe(2_000_005);

  for (const wrong of [
    { text: ' ', files: [] },
    { text: '', files: [{ name: 'a', url: 'https://example.com/a.png' }] },
    { text: '', files: [{ name: '', url: 'data:,a' }] },
    { text: '', files: Array.from({ length: 21 }, () => ({ name: 'a', url: 'data:,a' })) },
  ])
    expect((await ask('messages', token, { id: 'message-2', ...wrong })).status).toBe(400);
  const huge = { id: 'message-3', text: 'x'.repeat(14_000_000) };
  expect((await ask('messages', token, huge)).status).toBe(413);

  const without = await served();
  const answer = await without.ask('messages', await without.begin(), {
    id: 'message-1',
    text: '',
    files: [{ name: 'a', url: 'data:,a' }],
  });
  expect(await answer.json()).toMatchObject({ status: 403, code: 'chat/no-files' });
});

test('edits, words that act at once, and their answers are shown when they come', async () => {
  const policies = { words: { en: { help: ['info'], help_text: 'We are here from 9 to 5.' } } };
  const withWords = { ...conversationLifecycle, policies };
  const { ask, begin, say } = await served(
    {},
    {
      ports: speaking('Yes.'),
      definitions: {
        intake: {
          definition: await intake(),
          lifecycle: compile(JSON.stringify(withWords)),
        },
      },
    },
  );
  const token = await begin();
  const stream = await ask('stream', token);
  for (const text of ['Two guests', 'Three guests']) await say(token, 'message-1', text);
  await say(token, 'message-2', 'Info');

  const texts = new Set<string>();
  const frames = await framesUntil(stream, (frame) => {
    if (frame.type === 'message') texts.add(frame.message.text);
    return texts.size === 5;
  });
  expect([...texts].toSorted()).toEqual([
    'Info',
    'Three guests',
    'Two guests',
    'We are here from 9 to 5.',
    'Yes.',
  ]);
  const shown = frames.flatMap((frame) => (frame.type === 'message' ? [frame.message] : []));
  const ids = shown.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(shown.find(({ text }) => text === 'Three guests')).toMatchObject({
    replaces: 'message-1',
  });
});

test('a conversation that is erased in the middle of a reply is new, and the next message starts another', async () => {
  const { host, ask, begin, say } = await served(
    {},
    { ports: speaking('One word after the other.', 50), store: memoryStore() },
  );
  const token = await begin();
  await say(token, 'message-1', 'Hello');
  const stream = await ask('stream', token);
  const frames = framesUntil(stream, (frame) => frame.type === 'status' && frame.status === 'new');
  await expect.poll(async () => (await host.list()).items[0]?.state).toBe('ACTIVE');
  await host.erase({ contact: (await host.list()).items[0]!.contact!, running: 'end' });
  await frames;

  expect(await say(token, 'message-2', 'Hello again')).toBe(200);
  const [snapshot] = await framesUntil(await ask('stream', token), () => true);
  expect(snapshot).toMatchObject({ messages: [{ text: 'Hello again' }] });
});

test('a chat that greets starts one conversation, however many pages open it', async () => {
  const { host, ask, begin } = await served({ greet: true });
  const token = await begin();

  const answers = await Promise.all([1, 2, 3].map(() => ask('open', token, {})));
  await host.settle();

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await host.list()).items).toHaveLength(1);
  const [snapshot] = await framesUntil(await ask('stream', token), () => true);
  expect(snapshot).toMatchObject({ messages: [{ from: 'agent' }] });
});

test('a long conversation is shown from its end, and all of it on demand', async () => {
  const { host, ask, begin, say } = await served(
    { messagesPerMinute: 1_000 },
    { ports: speaking('Yes.') },
  );
  const token = await begin();
  for (let number = 1; number <= 40; number += 1) {
    await say(token, `message-${number}`, `Number ${number}`);
    await host.settle();
  }

  const [snapshot] = await framesUntil(await ask('stream', token), () => true);
  const history = (await (await ask('history', token)).json()) as {
    readonly messages: readonly { readonly text: string }[];
    readonly hasEarlier: boolean;
  };

  if (snapshot?.type !== 'snapshot') throw new Error('A stream begins with a snapshot.');
  expect(snapshot.messages).toHaveLength(50);
  expect(snapshot.hasEarlier).toBe(true);
  expect(history.hasEarlier).toBe(false);
  const asked = history.messages.map(({ text }) => text).filter((text) => text !== 'Yes.');
  expect(asked).toEqual(Array.from({ length: 40 }, (_, index) => `Number ${index + 1}`));
});

test('messages in quick succession are one turn', async () => {
  const { host, begin, say } = await served({}, { definitions: { intake: await intake() } });
  const token = await begin();
  await say(token, 'message-1', 'My name is Ada.');
  await say(token, 'message-2', 'My account is 4711-B.');
  await expect.poll(() => rolesIn(host), { timeout: 20_000 }).toContain('agent');
  expect((await rolesIn(host)).slice(0, 3)).toEqual(['contact', 'contact', 'agent']);
});

async function rolesIn(host: Host): Promise<string[]> {
  const [conversation] = (await host.list()).items;
  const lines = await host.transcript(conversation!.id, { from: 0, limit: 100 });
  return lines.flatMap(({ role }) => (role === 'system' ? [] : role));
}

test('a notice, and a message to nobody, are rejected for good', async () => {
  const { host } = await served();
  const { id } = await host.start('intake', { channel: 'web' });
  await host.settle();

  const journal = JSON.stringify(await host.journal(id, { from: 0, limit: 1_000 }));
  expect(journal).toContain('message.rejected');
});
