import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { readingsOf } from '../readings.ts';

const { resolve } = createRequire(import.meta.url);
const dramaturg = join(dirname(resolve('dramaturg/package.json')), 'bin/dramaturg.js');
const tsc = join(dirname(resolve('typescript/package.json')), 'bin/tsc');
const small = join(import.meta.dirname, '../../../../docs/examples/order.asl.json');

const row = { unit: '×', atMost: 1.5, rounds: 15 };

/** The start of the command, as a whole process, over that of `tsc --version`. */
export const starting = readingsOf(
  async () => async () => {
    const peer = timeOf(tsc, '--version');
    return {
      version: timeOf(dramaturg, '--version') / peer,
      help: timeOf(dramaturg, '--help') / peer,
      check: timeOf(dramaturg, 'check', small) / peer,
    };
  },
  {
    version: { ...row, name: 'start of --version over tsc --version' },
    help: { ...row, name: 'start of --help over tsc --version' },
    check: { ...row, name: 'start of check of a small file over tsc --version' },
  },
);

function timeOf(...args: readonly string[]): number {
  const start = performance.now();
  execFileSync(process.execPath, args, { stdio: 'ignore' });
  return performance.now() - start;
}
