import { mkdirSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { inOneLine, type Totals } from './totals.ts';

/** Ends the output with one line that a script can read, and leaves the totals in a file for whoever runs several. */
export default class TotalsReporter implements Reporter {
  readonly #file: string;

  /** @param options `file`: where the totals go, from the folder of the run */
  constructor({ file }: { readonly file: string }) {
    this.#file = file;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const totals: Totals = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      let failedTests = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'failed') failedTests += 1;
        else if (state === 'passed') totals.passed += 1;
        else totals.skipped += 1;
      }
      // A file that breaks outside its tests (an import, a hook) has failed although no test has.
      const brokeOutside = module.state() === 'failed' && failedTests === 0;
      totals.failed += brokeOutside ? 1 : failedTests;
    }
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, `${JSON.stringify(totals)}\n`);
    // On exit, because other reporters are still to print; and synchronously, because it is the exit.
    process.once('exit', () => {
      writeSync(1, `${inOneLine(totals)}\n`);
    });
  }
}
