import { readFile } from 'node:fs/promises';
import type { Diagnostic, Source } from '@dramaturg/compiler';
import {
  examplesIn,
  type PlacedResult,
  preparedTests,
  type PreparedTest,
  type TestOptions,
} from './prepared-tests.ts';
import { readTestFile } from './read-test-file.ts';
import { readSubject, type Subject } from './subject.ts';

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
 * @throws DefinitionError, UsageError as `readSubject`
 */
export async function prepareTests(file: string, options: TestOptions = {}): Promise<PreparedFile> {
  const { source, diagnostics, file: read } = readTestFile(await readFile(file, 'utf8'), file);
  if (!read) return { file, source, diagnostics, tests: [] };
  const subject = await readSubject(file, read);
  return {
    file,
    source,
    diagnostics,
    subject,
    tests: preparedTests(read, source, subject, options),
  };
}

/**
 * Runs the tests of a file, one after another.
 *
 * @throws as `prepareTests`
 */
export async function runTestFile(file: string, options: RunFileOptions = {}): Promise<FileResult> {
  const { tests, ...prepared } = await prepareTests(file, options);
  const results: PlacedResult[] = [];
  for (const { run } of tests) {
    const result = await run();
    options.onResult?.(file, result);
    results.push(result);
  }
  return { ...prepared, results };
}

/** The number of tests of a file with this text, each row of examples as one; 0 when it has mistakes. */
export function countTests(text: string, file: string, only?: string): number {
  const { file: read } = readTestFile(text, file);
  return read ? examplesIn(read, only).length : 0;
}
