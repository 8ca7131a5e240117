import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonObject } from '@dramaturg/compiler';
import { manualClock } from '@dramaturg/host';
import { testsIn } from 'dramaturg/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  attachmentFolder,
  createHost,
  type HostedDefinition,
  type HostOptions,
  memoryStore,
  type Ports,
} from '../../src/index.ts';
import { root } from './blocks.ts';

/** The application in docs/examples/clinic: four definitions, a lifecycle, and a page of code. */

const folder = join(root, 'docs/examples/clinic');
const { definitions, ports, attachments } = (await import(
  pathToFileURL(join(folder, 'app.mjs')).href
)) as {
  readonly definitions: Readonly<Record<string, HostedDefinition>>;
  readonly ports: Partial<Ports>;
  readonly attachments: NonNullable<HostOptions['attachments']>;
};
const named = (ending: string) => readdirSync(folder).filter((name) => name.endsWith(ending));

const stories = await Promise.all(
  named('.test.yaml').map(async (file) => ({ file, tests: await testsIn(join(folder, file)) })),
);

describe.each(stories)('$file', ({ tests }) => {
  test.each(tests)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

/** A Friday at 15:00 UTC: 16:00 in Berlin and 10:00 in New York. The Tuesday after is a holiday of the clinic. */
const friday = Date.UTC(2026, 0, 2, 15);
const hour = 3_600_000;

async function clinic(more: Partial<Ports> = {}) {
  const files = mkdtempSync(join(tmpdir(), 'dramaturg-clinic-'));
  onTestFinished(() => rmSync(files, { recursive: true, force: true }));
  const sent: string[] = [];
  const clock = manualClock({ startAt: friday });
  const host = await createHost({
    store: memoryStore(),
    clock,
    definitions,
    ports: { ...ports, ...more },
    attachments: { ...attachments, place: attachmentFolder(files) },
    channels: { sms: { deliver: ({ contact, text }) => void sent.push(`${contact}: ${text}`) } },
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(() => host.stop({ within: 0 }));
  const pass = async (hours: number) => {
    for (let passed = 0; passed < hours; passed += 1) {
      clock.set(clock.now() + hour);
      await host.settle();
    }
  };
  const say = async (text: string, attachment?: JsonObject) => {
    const data = attachment && { data: { attachments: [attachment] } };
    const answer = await host.receive({ contact: 'ada', channel: 'sms', text, ...data });
    await host.settle();
    return answer;
  };
  const begin = async (contact: string, lifecycleInput = {}) => {
    const { id } = await host.start('intake', { contact, channel: 'sms', lifecycleInput });
    await host.settle();
    return id;
  };
  return { host, sent, pass, say, begin, files };
}

test('an intake books, and a day after the visit the survey asks how it was', async () => {
  const { host, sent, pass, say, begin } = await clinic();
  const id = await begin('ada');
  const answers = ['Ada Lovelace', 'A123456789', 'A123456786', 'a check-up', '2026-01-05T09:00'];
  for (const text of answers) await say(text);
  expect(sent.join('\n')).toContain('This is not an insurance number.');
  expect(await host.get(id)).toMatchObject({ state: 'COMPLETED' });
  await pass(4 * 24);
  expect(sent.at(-1)).toContain('How many stars');
  await say('5');
  const { items } = await host.list({}, { limit: 10 });
  expect(
    Object.fromEntries(items.map(({ definition, state }) => [definition.name, state])),
  ).toEqual({
    intake: 'COMPLETED',
    booking: 'COMPLETED',
    reminder: 'COMPLETED',
    survey: 'COMPLETED',
  });
});

test('reminders keep the working hours of each zone, and the weekend', async () => {
  const { sent, pass, begin } = await clinic();
  await begin('berlin');
  await begin('new-york', { time_zone: 'America/New_York' });
  sent.length = 0;
  const times: string[] = [];
  for (let passed = 0; passed < 80; passed += 1) {
    await pass(1);
    const at = new Date(friday + (passed + 1) * hour).toISOString().slice(0, 13);
    times.push(...sent.splice(0).map((line) => `${at} ${line.split(':')[0]}`));
  }
  expect(times).toEqual([
    '2026-01-02T17 new-york',
    '2026-01-05T07 berlin',
    '2026-01-05T14 new-york',
  ]);
});

test('a referral is a photo, which is kept until the patient is erased; a voice message is an answer', async () => {
  const { host, say, begin, files } = await clinic({
    transcribe: ({ attachment }) => ({ text: `a specialist (${attachment['type'] as string})` }),
  });
  const id = await begin('ada');
  for (const text of ['Ada Lovelace', 'A123456786']) await say(text);
  const bytes = (start: string) => Buffer.from(`${start} and so on`, 'latin1').toString('base64');
  await say('', { url: `data:audio/ogg;base64,${bytes('OggS')}` });
  const photo = {
    url: `data:image/jpeg;base64,${bytes('\u00FF\u00D8\u00FF')}`,
    name: 'referral.jpg',
  };
  await say('', photo);
  expect((await host.get(id)).collected).toMatchObject({
    reason: 'specialist',
    referral: '[referral.jpg]',
  });
  const lines = await host.transcript(id, { from: 0, limit: 100 });
  const [kept] = lines.findLast(({ data }) => data)!.data!['attachments'] as JsonObject[];
  expect(kept).toMatchObject({ name: 'referral.jpg', type: 'image/jpeg' });
  expect((await host.attachment(id, kept!))!.byteLength).toBe(kept!['size']);
  await host.erase({ contact: 'ada', running: 'end' });
  const left = readdirSync(files, { recursive: true, withFileTypes: true });
  expect(left.filter((each) => each.isFile())).toEqual([]);
});

test('who opts out by SMS hears nothing more', async () => {
  const { host, sent, pass, say, begin } = await clinic();
  const id = await begin('ada');
  await say('STOP');
  expect(await host.get(id)).toMatchObject({ state: 'PAUSED' });
  sent.length = 0;
  await pass(7 * 24);
  expect(sent).toEqual([]);
  await say('START');
  await say('Hilfe');
  expect(sent.at(-1)).toContain('Rufen Sie uns an');
});
