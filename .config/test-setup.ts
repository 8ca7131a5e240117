import fc from 'fast-check';
import { afterAll, expect } from 'vitest';
import { forgetSecrets } from '../packages/compiler/src/secrets/secrets.ts';
import { endSharedRestate } from '../packages/test-servers/src/restate.ts';
import { scaled } from './scaled.ts';
import { endProcesses, markFile } from './test-processes.ts';

/** Properties are tried with the same values in every run. `TEST_SEED=7 npm test` tries others. */
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: Number(process.env['TEST_SEED'] ?? 1),
  numRuns: scaled(300),
});

/** A process that a test file starts ends with it, also when the file fails. */
const file = expect.getState().testPath ?? 'a test';
const mark = markFile(file);
afterAll(async () => {
  forgetSecrets();
  await endSharedRestate();
  const running = await endProcesses(mark);
  if (running.length > 0)
    throw new Error(`This file left processes running, which are killed: ${running.join(', ')}`);
});
