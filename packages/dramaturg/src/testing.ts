/** Tests of definitions in a test runner, such as Vitest or `node:test`. See docs/testing.md#in-a-test-runner */
import { PlayError } from './testing/play.ts';
import { prepareTests } from './testing/run-file.ts';

export * from './testing-browser.ts';

/**
 * Runs the tests of a test file.
 *
 * @returns each test with its name and a function that throws a `PlayError` when it has failed:
 *   `for (const { name, run } of await testsIn('intake.test.yaml')) test(name, run);`
 * @throws PlayError when the file has mistakes
 *
 * @example
 * ```ts
 * for (const { name, run } of await testsIn('customer-intake.test.yaml')) {
 *   await run();
 *   console.log(name); // → a customer with a broken device
 *   break;
 * }
 * ```
 */
export async function testsIn(
  file: string,
): Promise<readonly { readonly name: string; readonly run: () => Promise<void> }[]> {
  const { diagnostics, subject, tests } = await prepareTests(file);
  if (!subject) {
    const mistakes = diagnostics.map(
      ({ message, range: { start } }) => `${file}:${start.line}:${start.column} ${message}`,
    );
    throw new PlayError(mistakes.join('\n'));
  }
  return tests.map(({ name, run }) => ({
    name,
    run: async () => {
      const { failures } = await run();
      const sentences = failures.map(
        ({ message, hint, range: { start } }) =>
          `${file}:${start.line}:${start.column} ${message}${hint ? ` ${hint}` : ''}`,
      );
      if (sentences.length > 0) throw new PlayError(sentences.join('\n'));
    },
  }));
}
