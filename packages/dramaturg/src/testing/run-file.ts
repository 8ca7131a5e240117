import { readFile } from 'node:fs/promises';
import { type Diagnostic, hasErrors, type Json, type Source } from '@dramaturg/compiler';
import { isMockFile } from './mocks/mock-file.ts';
import { readMockTests, withMocks } from './mocks/mock-tests.ts';
import {
  type PlacedResult,
  preparedTests,
  type PreparedTest,
  type TestOptions,
} from './prepared-tests.ts';
import { type ReadTestFile, readTestFile, unknownAgents } from './read-test-file.ts';
import { type Subject, Subjects } from './subject.ts';

/** The tests of a file. Without a subject, the file has mistakes, and no test has run. */
export interface FileResult {
  readonly file: string;
  readonly source: Source;
  readonly diagnostics: readonly Diagnostic[];
  readonly subject?: Subject;
  readonly results: readonly PlacedResult[];
}

export interface RunFileOptions extends TestOptions {
  readonly onResult?: (file: string, result: PlacedResult) => void;
}

/** The tests of a file, before they run. Without a subject, the file has mistakes. */
export interface PreparedFile extends Omit<FileResult, 'results'> {
  readonly tests: readonly PreparedTest[];
}

/**
 * Reads a test file and the definition that it tests. Each test runs on a host of its own.
 *
 * @throws DefinitionError, UsageError as `Subjects.of`
 */
export async function prepareTests(file: string, options: TestOptions = {}): Promise<PreparedFile> {
  const subjects = new Subjects();
  const prepared: PreparedFile[] = [];
  for (const read of await readTests(file, options.input))
    prepared.push(await prepareFile(file, read, subjects, options));
  return { ...prepared[0]!, tests: prepared.flatMap(({ tests }) => tests) };
}

/** The tests of a file: a mock file has tests of several state machines. @param input of the test cases of a mock file */
export async function readTests(file: string, input?: Json): Promise<readonly ReadTestFile[]> {
  if (isMockFile(file)) return readMockTests(file, input);
  return [await withMocks(readTestFile(await readFile(file, 'utf8'), file), file)];
}

async function prepareFile(
  file: string,
  { source, diagnostics, file: read }: ReadTestFile,
  subjects: Subjects,
  options: TestOptions,
): Promise<PreparedFile> {
  if (!read) return { file, source, diagnostics, tests: [] };
  const subject = await subjects.of(file, read);
  const mistakes = [...diagnostics, ...unknownAgents(read, source, subject)];
  if (hasErrors(mistakes)) return { file, source, diagnostics: mistakes, tests: [] };
  const tests = preparedTests(read, source, subject, options);
  return { file, source, diagnostics, subject, tests };
}

/**
 * Runs the tests of a file, one after another.
 *
 * @throws as `Subjects.of`
 */
export async function runTestFile(
  file: string,
  read: ReadTestFile,
  subjects: Subjects,
  options: RunFileOptions,
): Promise<FileResult> {
  const { tests, ...prepared } = await prepareFile(file, read, subjects, options);
  const results: PlacedResult[] = [];
  for (const { run } of tests) {
    const result = await run();
    options.onResult?.(file, result);
    results.push(result);
  }
  return { ...prepared, results };
}
