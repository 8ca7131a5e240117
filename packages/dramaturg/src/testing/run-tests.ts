import { type Compiled, type Diagnostic, hasErrors } from '@dramaturg/compiler';
import type { HostedDefinition } from '../host.ts';
import { Coverage, type CoveredUnit } from './coverage/coverage.ts';
import { PlayError } from './play-error.ts';
import { preparedTests } from './prepared-tests.ts';
import { readTestFile } from './read-test-file.ts';
import { unknownAgents } from './unknown-agents.ts';

/** A test that has run. */
export interface RunTest {
  readonly name: string;
  /** The expectations that do not hold, one sentence each. */
  readonly failures: readonly string[];
  /** Its line in the test file. */
  readonly line: number;
}

export interface TestRun {
  /** Mistakes of the test file. With an error, no test has run. */
  readonly diagnostics: readonly Diagnostic[];
  readonly tests: readonly RunTest[];
  /** The units of the definition, with how often the tests have reached them. */
  readonly units: readonly CoveredUnit[];
}

export interface RunTestsOptions {
  /** The name of the test file. */
  readonly fileName: string;
  readonly definition: Compiled;
  /** The name of the definition's file: tests of another file are refused. */
  readonly definitionFile?: string | undefined;
  /** Definitions that it calls as agents, by name. */
  readonly others?: Readonly<Record<string, HostedDefinition>>;
}

/**
 * Runs the tests of a text, also in a browser, and counts what they reach.
 *
 * @param text a test file. Spec: docs/testing.md
 * @throws PlayError when the tests are about another definition, or need a lifecycle of their own
 *
 * @example
 * ```ts
 * const tests = `
 * tests:
 *   - name: the name is kept
 *     steps:
 *       - { person: Maria, collected: { customer_name: Maria } }`;
 * const run = await runTests(tests, { fileName: 'customer-intake.test.yaml', definition: intake });
 * for (const { name, failures } of run.tests) console.log(name, failures.length); // → the name is kept 0
 * ```
 */
export async function runTests(
  text: string,
  { fileName, definition, definitionFile, others = {} }: RunTestsOptions,
): Promise<TestRun> {
  const { file, source, diagnostics } = readTestFile(text, fileName);
  if (!file) return { diagnostics, tests: [], units: [] };
  const tested = file.definition?.split('/').at(-1) ?? fileName.replace(/\.test\.\w+$/, '');
  const isOther = definitionFile !== undefined && !`${definitionFile}.`.startsWith(`${tested}.`);
  if (isOther) throw new PlayError(`${fileName} tests ${tested}, not ${definitionFile}.`);
  const needed = file.lifecycle ?? file.mocks;
  if (needed !== undefined)
    throw new PlayError(
      `${fileName} needs the file ${needed}. Run it with "dramaturg test", and open its report.`,
    );
  const mistakes = [...diagnostics, ...unknownAgents(file, source, { definition, others })];
  if (hasErrors(mistakes)) return { diagnostics: mistakes, tests: [], units: [] };
  const coverage = new Coverage(definition.chart!);
  const subject = { name: tested, definition, others };
  const tests: RunTest[] = [];
  for (const { run } of preparedTests(file, source, subject, { isRecorded: true })) {
    const { name, failures, range, record } = await run();
    if (record) await coverage.add(record);
    tests.push({ name, line: range.start.line, failures: failures.map(({ message }) => message) });
  }
  return { diagnostics, tests, units: coverage.units };
}
