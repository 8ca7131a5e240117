import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Json, JsonObject } from '../../src/index.ts';
import type { Job } from './killed-map.ts';

/** Maps in processes that are killed in the middle of them. */

const script = join(import.meta.dirname, 'killed-map.ts');

/** Runs a process. @returns whether it was killed */
function isKilled(folder: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ['--no-warnings', script, folder], (error, _, stderr) => {
      if (error && error.signal !== 'SIGKILL') reject(new Error(stderr, { cause: error }));
      else resolve(error !== null);
    });
  });
}

function mapOf(mode: 'INLINE' | 'DISTRIBUTED'): JsonObject {
  const config =
    mode === 'DISTRIBUTED' ? { Mode: mode, ExecutionType: 'STANDARD' } : { Mode: mode };
  const task = {
    Type: 'Task',
    Resource: 'arn:aws:lambda:eu-west-1:123456789012:function:F',
    End: true,
  };
  const processor = { ProcessorConfig: config, StartAt: 'Do', States: { Do: task } };
  const map = { Type: 'Map', ItemsPath: '$.items', ItemProcessor: processor, End: true };
  return { StartAt: 'Each', States: { Each: map } };
}

interface Call {
  readonly key: string;
  readonly input: Json;
}

test.each([
  ['lowdb', 'DISTRIBUTED'],
  ['sqlite', 'INLINE'],
] as const)('a Map continues after kills, on %s, %s', async (store, mode) => {
  const items = 240;
  const killedAt = [50, 210];
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-killed-map-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const job: Job = { store, definition: mapOf(mode), items, killedAt };
  writeFileSync(join(folder, 'job.json'), JSON.stringify(job));
  for (const _ of killedAt) expect(await isKilled(folder)).toBe(true);
  expect(await isKilled(folder)).toBe(false);

  const expected = Array.from({ length: items }, (_, index) => ({ of: index }));
  expect(JSON.parse(readFileSync(join(folder, 'output.json'), 'utf8'))).toEqual(expected);
  const lines = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  const calls = lines.map((line) => JSON.parse(line) as Call);
  const keys = new Map<Json, Set<string>>();
  for (const { key, input } of calls) keys.set(input, (keys.get(input) ?? new Set()).add(key));
  expect(keys.size).toBe(items);
  expect([...keys.values()].filter(({ size }) => size !== 1)).toEqual([]);
  // Only calls that were not answered and stored are repeated.
  expect(calls.length).toBeLessThan(items * 2);
});
