import { mkdirSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { TestError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';
import { inOneLine, type Totals } from './totals.ts';

/**
 * Ends the output with one line that a script can read, and writes the totals to a file, so that several runs can be
 * summed up.
 */
export default class TotalsReporter implements Reporter {
  readonly #file: string;

  /** @param options `file`: the path of the totals, from the folder of the run */
  constructor({ file }: { readonly file: string }) {
    this.#file = file;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly TestError[]): void {
    const flaky: string[] = [];
    const totals: Totals = {
      passed: 0,
      failed: unhandledErrors.length,
      skipped: 0,
      failures: [],
      flaky,
    };
    if (unhandledErrors.length > 0) {
      totals.failures.push(failure('outside of all tests', unhandledErrors));
    }
    for (const module of modules) {
      let failedTests = 0;
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        const place = `${module.relativeModuleId} > ${test.fullName}`;
        if (state === 'passed') {
          totals.passed += 1;
          // A passed test that has errors needed a second attempt.
          if (test.diagnostic()?.flaky) flaky.push(failure(place, errors ?? []));
        } else if (state !== 'failed') totals.skipped += 1;
        else {
          failedTests += 1;
          totals.failures.push(failure(place, errors));
        }
      }
      // A file that breaks outside its tests (an import, a hook) has failed although no test has.
      const brokeOutside = module.state() === 'failed' && failedTests === 0;
      totals.failed += brokeOutside ? 1 : failedTests;
      if (module.errors().length > 0) {
        totals.failures.push(failure(module.relativeModuleId, module.errors()));
      }
    }
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, `${JSON.stringify(totals)}\n`);
    // On exit, because other reporters still have to print. An exit handler can only write synchronously.
    process.once('exit', () => {
      writeSync(1, `${inOneLine(totals)}\n`);
    });
  }
}

/** How many lines of an error are repeated. The runner has printed all of it above. */
const LINES_OF_ERROR = 20;

function failure(where: string, errors: readonly TestError[]): string {
  const lines = errors.flatMap(({ name, message, stack = '', diff = '' }) => {
    const place = stack.split('\n').find((line) => /^\s+at /.test(line) && !isOfLibrary(line));
    return stripVTControlCharacters(`${name}: ${message}\n${diff}\n${place ?? ''}`)
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(0, LINES_OF_ERROR);
  });
  return [where, ...lines.map((line) => `    ${line}`)].join('\n');
}

function isOfLibrary(line: string): boolean {
  return line.includes('/node_modules/') || line.includes('node:internal');
}
