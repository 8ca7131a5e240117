import { readFile } from 'node:fs/promises';
import type { Diagnostic, JsonObject, Path, Ports, Range, Source } from '@dramaturg/compiler';
import { type Example, examplesOf } from './examples.ts';
import { readTestFile } from './read-test-file.ts';
import { runTest, type TestFailure, type TestResult } from './run-test.ts';
import { usualStart } from './stage-options.ts';
import { readSubject, type Subject } from './subject.ts';
import type { TestFile } from './test-file.ts';

/** A failure with its place in the test file. */
export interface PlacedFailure extends Omit<TestFailure, 'path'> {
  readonly path: Path;
  readonly range: Range;
}

export interface PlacedResult extends Omit<TestResult, 'failures'> {
  readonly failures: readonly PlacedFailure[];
  /** Where the test is in its file. */
  readonly range: Range;
}

/** The tests of a file. Without a subject, the file has mistakes, and no test has run. */
export interface FileResult {
  readonly file: string;
  readonly source: Source;
  readonly diagnostics: readonly Diagnostic[];
  readonly subject?: Subject;
  readonly results: readonly PlacedResult[];
}

export interface RunFileOptions {
  /** Runs only tests whose names contain this text. */
  readonly only?: string | undefined;
  /** Ports that answer what the tests do not, in place of the understudy. */
  readonly ports?: Partial<Ports>;
  /** Keeps what the instances did, for coverage. */
  readonly isRecorded?: boolean;
  readonly onResult?: (file: string, result: PlacedResult) => void;
}

/** The tests of a file, before they run. Without a subject, the file has mistakes. */
export interface PreparedFile extends Omit<FileResult, 'results'> {
  readonly tests: readonly { readonly name: string; readonly run: () => Promise<PlacedResult> }[];
}

/**
 * Reads a test file and the definition that it tests. Each test runs on a host of its own.
 *
 * @throws DefinitionError, UsageError as `readSubject`
 */
export async function prepareTests(
  file: string,
  options: Omit<RunFileOptions, 'onResult'> = {},
): Promise<PreparedFile> {
  const { source, diagnostics, file: read } = readTestFile(await readFile(file, 'utf8'), file);
  if (!read) return { file, source, diagnostics, tests: [] };
  const subject = await readSubject(file, read);
  const stage = stageOf(read, subject, options);
  const tests = examplesIn(read, options.only).map(({ example, path }) => ({
    name: example.name,
    run: async () => placedResult(await runTest(example, stage), path, source),
  }));
  return { file, source, diagnostics, subject, tests };
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

function examplesIn({ tests }: TestFile, only = ''): { example: Example; path: Path }[] {
  return tests.flatMap((test, index) =>
    examplesOf(test)
      .filter(({ name }) => name.includes(only))
      .map((example) => ({ example, path: ['tests', index] })),
  );
}

function stageOf(
  { now, agents }: TestFile,
  { name, definition, others }: Subject,
  { ports, isRecorded = false }: RunFileOptions,
) {
  return {
    name,
    definition,
    others,
    isRecorded,
    startAt: now === undefined ? usualStart : Date.parse(now),
    ...(agents ? { agents: agents as JsonObject } : {}),
    ...(ports ? { ports } : {}),
  };
}

function placedResult({ failures, ...rest }: TestResult, path: Path, source: Source): PlacedResult {
  return {
    ...rest,
    range: source.locate(path),
    failures: failures.map((failure) => {
      const full = [...path, ...failure.path];
      return { ...failure, path: full, range: source.locate(full) };
    }),
  };
}
