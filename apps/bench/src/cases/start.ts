import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { readingsOf } from '../measure.ts';

const { resolve } = createRequire(import.meta.url);
const dramaturg = join(dirname(resolve('dramaturg/package.json')), 'bin/dramaturg.js');
const example = (name: string) => join(import.meta.dirname, '../../../../docs/examples', name);

/** The arguments of each command, by its name in the results. */
const commands: Readonly<Record<string, readonly string[]>> = {
  '--version': ['--version'],
  '--help': ['--help'],
  'check of a plan': ['check', example('customer-intake.plan.json')],
  'check of a workflow': ['check', example('order.asl.json')],
};

/**
 * Compilers to compare with. The compiler of the project is a native program. A compiler in JavaScript (TypeScript 6 and before)
 * is not a dependency: `JAVASCRIPT_TSC` is the path of its `bin/tsc`.
 */
const compilers = [
  { name: 'tsc --version', file: join(dirname(resolve('typescript/package.json')), 'bin/tsc') },
  ...(process.env['JAVASCRIPT_TSC']
    ? [{ name: 'JavaScript tsc --version', file: process.env['JAVASCRIPT_TSC'] }]
    : []),
];

/** The time of the command as a whole process, over that of `tsc --version`. */
export const starting = readingsOf(
  async () => async () => {
    const times = Object.entries(commands).map(
      ([command, args]) => [command, timeOf(dramaturg, ...args)] as const,
    );
    return Object.fromEntries(
      compilers.flatMap(({ name, file }) => {
        const peer = timeOf(file, '--version');
        return times.map(([command, time]) => [`${command}, ${name}`, time / peer]);
      }),
    );
  },
  Object.fromEntries(
    compilers.flatMap(({ name }) =>
      Object.keys(commands).map((command) => [
        `${command}, ${name}`,
        [`start of ${command} over ${name}`, '×', 1.5],
      ]),
    ),
  ),
);

function timeOf(...args: readonly string[]): number {
  const start = performance.now();
  execFileSync(process.execPath, args, { stdio: 'ignore' });
  return performance.now() - start;
}
