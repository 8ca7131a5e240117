import { writeSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Ends the output with one line that a script can read: `12 passed, 0 failed, 1 skipped`. */
export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      let failedTests = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'failed') failedTests += 1;
        else if (state === 'passed') count.passed += 1;
        else count.skipped += 1;
      }
      // A file that breaks outside its tests (an import, a hook) has failed although no test has.
      const brokeOutside = module.state() === 'failed' && failedTests === 0;
      count.failed += brokeOutside ? 1 : failedTests;
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
    // On exit, because other reporters are still to print; and synchronously, because it is the exit.
    process.once('exit', () => {
      writeSync(1, `${count.passed} passed, ${count.failed} failed${skipped}\n`);
    });
  }
}
