import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { workerLane } from '../src/worker-lane.ts';

const folder = mkdtempSync(join(tmpdir(), 'conformance-lane-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A thread whose cases fail in every way, by their index. */
const script = join(folder, 'worker.mjs');
writeFileSync(
  script,
  `import { parentPort } from 'node:worker_threads';
let answered = 0;
parentPort.on('message', (index) => {
  if (index === 1) for (;;);
  if (index === 2) process.exit();
  if (index === 3) throw new Error('out of order');
  if (index === 4) return;
  if (index === 5) { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)); }
  answered += 1;
  parentPort.postMessage(index === 0 ? undefined : { expected: '1', actual: String(answered) });
});
`,
);

/** Milliseconds that no case takes, also on a busy machine. */
const long = 100_000;

const lanes = (deadline: number) =>
  workerLane({ script: pathToFileURL(script), folder, deadline, memoryMb: 64 });
const failed = (actual: string) => ({ expected: 'a result', actual });

test('a case that ends the process or breaks fails alone', async () => {
  const lane = lanes(long);
  const outcomes = [];
  for (const index of [0, 9, 2, 0, 3, 9]) outcomes.push(await lane.perform(index));
  await lane.close();
  expect(outcomes).toEqual([
    undefined,
    // The second answer of the first thread.
    { expected: '1', actual: '2' },
    failed('the case ended the process'),
    undefined,
    failed('out of order'),
    // The first answer of a new one.
    { expected: '1', actual: '1' },
  ]);
});

test.each([1, 4])('a case that hangs fails alone, after its time (case %i)', async (index) => {
  const lane = lanes(300);
  expect(await lane.perform(index)).toEqual(failed('nothing within 0.3 seconds'));
  // On a busy machine, a new thread may not be there in that time either.
  await expect.poll(() => lane.perform(0), { timeout: long }).toBeUndefined();
  await lane.close();
});

test('a case that runs out of memory fails alone', async () => {
  const lane = lanes(long);
  expect([await lane.perform(5), await lane.perform(0)]).toEqual([
    failed('Worker terminated due to reaching memory limit: JS heap out of memory'),
    undefined,
  ]);
  await lane.close();
});
