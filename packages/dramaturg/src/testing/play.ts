import {
  type Compiled,
  type Diagnostic,
  DramaturgError,
  hasErrors,
  type JsonObject,
  type Ports,
} from '@dramaturg/compiler';
import type { HostedDefinition } from '../host.ts';
import { Coverage, type CoveredUnit } from './coverage/coverage.ts';
import { preparedTests } from './prepared-tests.ts';
import { readTestFile, unknownAgents } from './read-test-file.ts';
import { runTest } from './run-test.ts';
import { usualStart } from './stage-options.ts';
import type { TestStep } from './test-file.ts';

export interface PlayOptions {
  /** The input of the conversation or workflow. */
  readonly input?: JsonObject;
  readonly lifecycleInput?: JsonObject;
  /** Answers of agents, by name. */
  readonly agents?: JsonObject;
  /** Ports for calls that the steps do not answer, in place of the understudy: such as those of a model. */
  readonly ports?: Partial<Ports>;
  /** Definitions that it calls as agents, by name. */
  readonly others?: Readonly<Record<string, HostedDefinition>>;
  /** The start of the test, in milliseconds since 1970 UTC. Default: 1 January 2026, 9:00 UTC. */
  readonly startAt?: number;
}

/**
 * Plays a definition step by step, in memory, and checks what has to hold after each step.
 *
 * @param steps as in a test file
 * @throws PlayError when an expectation does not hold; TypeError when the definition has errors
 *
 * @example
 * ```ts
 * await play(intake, [
 *   { asks: ['customer_name'] },
 *   { person: 'Maria', collected: { customer_name: 'Maria' } },
 * ]);
 * ```
 */
export async function play(
  definition: Compiled | HostedDefinition,
  steps: readonly TestStep[],
  { input, lifecycleInput, ...options }: PlayOptions = {},
): Promise<void> {
  const test = {
    name: 'play',
    steps: [...steps],
    ...(input ? { input } : {}),
    ...(lifecycleInput ? { lifecycleInput } : {}),
  };
  const given = { startAt: usualStart, ...options, name: 'definition', definition };
  const { failures } = await runTest({ test, name: test.name }, given);
  if (failures.length === 0) return;
  const sentences = failures.map(
    ({ path, message, hint }) => `${pathOf(path)}: ${message}${hint ? ` ${hint}` : ''}`,
  );
  throw new PlayError(sentences.join('\n'));
}

function pathOf(path: readonly (string | number)[]): string {
  const [, index, field] = path;
  return `Step ${Number(index) + 1}${field === undefined ? '' : `, ${field}`}`;
}

/**
 * Expectations that do not hold, or steps that cannot be carried out: one sentence for each.
 *
 * @example
 * ```ts
 * try {
 *   await play(intake, [{ person: 'Maria', collected: { customer_name: 'Ada' } }]);
 * } catch (error) {
 *   if (error instanceof PlayError) console.log(error.message.split(':')[0]); // → Step 1, collected
 * }
 * ```
 */
export class PlayError extends DramaturgError<'test/failed'> {
  override readonly name = 'PlayError';

  constructor(message: string) {
    super('test/failed', message);
  }
}

/** A test that has run. */
interface RunTest {
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
