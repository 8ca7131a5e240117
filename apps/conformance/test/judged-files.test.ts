import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runFolder } from '../src/run.ts';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const task = (next: object) => ({
  StartAt: 'Ask',
  States: { Ask: { Type: 'Task', Resource: 'arn:aws:lambda:eu-west-1:1:function:ask', ...next } },
});
const good = task({ End: true });
const bad = task({ Next: 'Nowhere' });
/** Polls for something that a dry run never gives. */
const endless = {
  StartAt: 'Sleep',
  States: {
    Sleep: { Type: 'Wait', Seconds: 60, Next: 'Look' },
    Look: {
      Type: 'Choice',
      Choices: [{ Variable: '$.done', IsPresent: true, Next: 'Done' }],
      Default: 'Sleep',
    },
    Done: { Type: 'Succeed' },
  },
};

function folderOf(rows: Readonly<Record<string, readonly [expected: string, content: object]>>) {
  const folder = mkdtempSync(join(tmpdir(), 'judged-'));
  folders.push(folder);
  mkdirSync(join(folder, 'definitions'));
  const lines = Object.entries(rows).map(([name, [expected, content]]) => {
    const file = `definitions/${name}.asl.json`;
    writeFileSync(join(folder, file), JSON.stringify(content));
    return `${file}\tsomewhere\t${expected}\tits reason`;
  });
  const head = 'file\trepository\texpected\twhy';
  writeFileSync(join(folder, 'manifest.tsv'), `${[head, ...lines].join('\n')}\n`);
  return folder;
}

test('verdicts are compared, counted and explained', async () => {
  const folder = folderOf({
    one: ['accept', good],
    two: ['accept', bad],
    three: ['refuse', bad],
    four: ['refuse', good],
    five: ['disputed', good],
  });
  const report = await runFolder(folder);
  expect(report).toMatchObject({ layout: 'judged-files', passed: 3, total: 5 });
  expect(report.groups['expected']).toEqual({
    accept: { passed: 1, total: 2 },
    refuse: { passed: 1, total: 2 },
    disputed: { passed: 1, total: 1 },
  });
  expect(report.verdicts).toEqual({
    accepted: 1,
    'disputed, accepted': 1,
    'rightly refused': 1,
    'wrongly accepted': 1,
    'wrongly refused': 1,
  });
  expect(report.failures.map(({ id }) => id)).toEqual([
    'definitions/two.asl.json',
    'definitions/four.asl.json',
  ]);
  expect(report.failures[0]!.actual).toContain('asl/unknown-target');
  const reason = report.remarks.find(({ id }) => id.includes('three'));
  expect(reason?.actual).toMatch(/^rightly refused \| .*asl\/unknown-target/);
});

test('the dry run of a workflow that polls ends', async () => {
  const { verdicts } = await runFolder(folderOf({ one: ['accept', endless] }));
  expect(verdicts).toEqual({ accepted: 1 });
});

test('an unknown expectation is an error and not a passing case', async () => {
  const folder = folderOf({ one: ['acept', good] });
  await expect(runFolder(folder)).rejects.toThrow('The manifest expects "acept"');
});
