import type { Json, JsonObject, Path, Ports, Range, Source } from '@dramaturg/compiler';
import { type Example, examplesOf } from './examples.ts';
import { runTest, type TestFailure, type TestResult } from './run-test.ts';
import { usualStart } from './stage-options.ts';
import type { Subject } from './subject.ts';
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

export interface TestOptions {
  /** Runs only tests whose names contain this text. */
  readonly only?: string | undefined;
  /** The input of the test cases of a mock file. */
  readonly input?: Json | undefined;
  /** Ports for calls that the tests do not answer, in place of the understudy. */
  readonly ports?: Partial<Ports>;
  /** Whether to keep the record of the instances, for coverage. */
  readonly isRecorded?: boolean;
}

/** A test before it runs. */
export interface PreparedTest {
  readonly name: string;
  readonly run: () => Promise<PlacedResult>;
}

/** The tests of a file, each row of examples as one. Each runs on a host of its own. */
export function preparedTests(
  read: TestFile,
  source: Source,
  subject: Pick<Subject, 'name' | 'definition' | 'others'>,
  options: TestOptions = {},
): readonly PreparedTest[] {
  const stage = stageOf(read, subject, options);
  return examplesIn(read, options.only).map(({ example, path }) => ({
    name: example.name,
    run: async () => placedResult(await runTest(example, stage), path, source),
  }));
}

export interface PlacedExample {
  readonly example: Example;
  /** Where the test is in its file. */
  readonly path: Path;
}

/** The tests of a file whose names contain a text, with their places. */
export function examplesIn({ tests }: TestFile, only = ''): PlacedExample[] {
  return tests.flatMap((test, index) =>
    examplesOf(test)
      .filter(({ name }) => name.includes(only))
      .map((example) => ({ example, path: test.at ?? ['tests', index] })),
  );
}

/** The definition and the settings that the tests of a file run with. */
export function stageOf(
  { now, agents }: Pick<TestFile, 'now' | 'agents'>,
  { name, definition, others }: Pick<Subject, 'name' | 'definition' | 'others'>,
  { ports, isRecorded = false }: TestOptions,
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

/** A result with the places of its test and its failures. */
export function placedResult(
  { failures, ...rest }: TestResult,
  path: Path,
  source: Source,
): PlacedResult {
  return {
    ...rest,
    range: source.locate(path),
    failures: failures.map((failure) => {
      const full = [...path, ...failure.path];
      return { ...failure, path: full, range: source.locate(full) };
    }),
  };
}
