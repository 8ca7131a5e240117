import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { telephoneNumber } from '../src/channel/toolkit/index.ts';
import { eraseRecordings } from '../src/index.ts';

const head = { type: 'recording', version: 1, format: 'plan', chart: 'c', input: {} };

test('the recordings of a contact are deleted, and nothing else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'recordings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (name: string, first: object) =>
    writeFileSync(join(folder, name), `${JSON.stringify(first)}\n{"type":"end"}\n`);
  write('ada.recording', { ...head, contact: '+56 9 1234' });
  write('ada-too.recording', { ...head, contact: '+5691234' });
  write('alike.recording', { ...head, contact: '5691234' });
  write('bob.recording', { ...head, contact: 'bob' });
  write('unknown.recording', head);
  write('other.json', { contact: '+5691234' });
  expect(await eraseRecordings(folder, '+5691234')).toEqual({ recordings: 1, unlabelled: 1 });
  const sms = { contactKey: telephoneNumber };
  expect(await eraseRecordings(folder, '+569 1234', sms)).toEqual({ recordings: 1, unlabelled: 1 });
  expect(readdirSync(folder).toSorted()).toEqual([
    'alike.recording',
    'bob.recording',
    'other.json',
    'unknown.recording',
  ]);
  expect(await eraseRecordings(folder, '+5691234')).toEqual({ recordings: 0, unlabelled: 1 });
  await expect(eraseRecordings(join(folder, 'nowhere'), 'bob')).rejects.toMatchObject({
    code: 'recording/unusable',
  });
});
