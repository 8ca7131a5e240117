import { type FSWatcher, watch } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Json, printPretty } from '@dramaturg/compiler';
import { counted, visible } from '@dramaturg/compiler/text';
import { Option } from 'commander';
import { escapePath } from 'tinyglobby';
import { coveragesOf, type DefinitionCoverage, toLcov } from '../../testing/coverage/coverage.ts';
import { isMockFile } from '../../testing/mocks/mock-file.ts';
import { runTestFiles } from '../../testing/parallel/run-test-files.ts';
import type { FileResult } from '../../testing/run-file.ts';
import type { PlacedFailure, PlacedResult } from '../../testing/prepared-tests.ts';
import { isTestFile } from '../../testing/subject.ts';
import { type Command, command, examples } from '../command.ts';
import { findFiles, readJsonArgument, statusOf } from '../files.ts';
import { interruptible } from '../interruptible.ts';
import { type Output, outputTo, jsonText } from '../output.ts';
import { printFailure } from '../print-failure.ts';
import { type ExitCode, exitCodes, UsageError } from '../usage-error.ts';
import {
  percent,
  printCoverage,
  printResult,
  printTotals,
  resultsToGithub,
  resultsToJson,
  resultsToJunit,
} from './print-results.ts';

const allTests = '**/{*.test.{yaml,yml,json},MockConfigFile.json}';

interface TestOptions {
  readonly only?: string;
  readonly input?: string;
  readonly json?: true;
  readonly github?: true;
  readonly junit?: true;
  readonly coverage?: true;
  readonly lcov?: string;
  readonly min?: number;
  readonly update?: true;
  readonly watch?: true;
}

export function testCommand(): Command {
  return command('test')
    .description(
      'Runs the tests beside definitions: conversations and runs in text files, with what has to hold after each step.',
    )
    .argument('[files...]', 'test files such as intake.test.yaml, folders, or patterns', [allTests])
    .option('--only <text>', 'run only tests whose names contain this text')
    .option(
      '--input <json>',
      'the input of the test cases of a MockConfigFile.json: inline JSON, or a file (default: {})',
    )
    .addOption(
      new Option('--json', 'print the results as one JSON object').conflicts(['github', 'junit']),
    )
    .addOption(
      new Option('--github', 'print the failures as annotations for GitHub Actions').conflicts(
        'junit',
      ),
    )
    .option('--junit', 'print the results as JUnit XML')
    .option(
      '--coverage',
      'print which states, transitions, conditions and operands no test reaches',
    )
    .option('--lcov <file>', 'write the coverage to a file, for editors and CI')
    .option(
      '--min <percent>',
      'fail if the tests of a definition reach less than this part of it',
      readPercent,
    )
    .option('--update', 'rewrite expectations that do not hold with what was found')
    .addOption(
      new Option('--watch', 'run again after each change of a file').conflicts([
        'json',
        'github',
        'junit',
        'update',
      ]),
    )
    .addHelpText(
      'after',
      `
The tests of intake.plan.json are in intake.test.yaml beside it:

  tests:
    - name: a customer with a broken device
      steps:
        - said: What is your name?
        - person: Ada
          collected: { customer_name: Ada }
          said: account number

Exit codes: 0 if all tests pass, 1 if a test fails, a test file has mistakes, or
less than --min is reached.
${examples([
  'dramaturg test',
  'dramaturg test flows/intake.test.yaml --only "broken device"',
  'dramaturg test flows --coverage --min 90',
  'dramaturg test "flows/**/*.test.yaml" --junit > results.xml',
])}`,
    )
    .action(async (files: string[], options: TestOptions) => {
      if (options.watch) await watchFiles(files, options);
      else return (await testFiles(files, options)).exitCode;
    });
}

async function watchFiles(given: readonly string[], options: TestOptions): Promise<void> {
  await interruptible((signal) =>
    runOnChange(async () => {
      try {
        return (await testFiles(given, options)).files.flatMap(filesOf);
      } catch (error) {
        // The next change may correct the mistake.
        printFailure(error, false);
        return testFilesIn(given);
      }
    }, signal),
  );
}

function filesOf({ file, subject }: FileResult): readonly string[] {
  return [file, ...(subject ? [subject.file] : [])];
}

interface TestRun {
  readonly files: readonly FileResult[];
  readonly exitCode: ExitCode;
}

async function testFiles(given: readonly string[], options: TestOptions): Promise<TestRun> {
  const output = outputTo(process.stdout);
  const isPretty = !options.json && !options.github && !options.junit;
  const files: FileResult[] = [];
  let titled = '';
  const title = (file: string) => {
    if (titled !== file) output.write(`${titled === '' ? '' : '\n'}${visible(file)}\n`);
    titled = file;
  };
  const onResult = (file: string, one: PlacedResult) => {
    title(file);
    output.write(printResult(file, one, output));
  };
  const { only } = options;
  const input = await inputOf(options);
  const isRecorded = wantsCoverage(options);
  const found = await testFilesIn(given);
  const begun = performance.now();
  for await (const result of runTestFiles(found, {
    only,
    input,
    isRecorded,
    ...(isPretty ? { onResult } : {}),
  })) {
    if (isPretty) output.write(printMistakes(result, output));
    files.push(result);
  }
  const seconds = (performance.now() - begun) / 1000;
  requireTests(files, options);
  if (options.update) for (const file of files) await update(file, output);
  const coverages = wantsCoverage(options) ? await coveragesOf(files) : [];
  if (options.lcov !== undefined) await writeFile(options.lcov, coverages.map(asLcov).join(''));
  if (options.json) output.write(jsonText(resultsToJson(files, coverages)));
  else if (options.github) output.write(resultsToGithub(files));
  else if (options.junit) output.write(resultsToJunit(files));
  else
    output.write(`${coverages.map(asText(output)).join('')}${printTotals(files, seconds, output)}`);
  const { min = 0 } = options;
  const tooLow = coverages.filter(({ units }) => percent(units) < min);
  for (const { file, units } of tooLow)
    process.stderr.write(
      `error: The tests reach ${percent(units)} % of ${visible(file)}, less than ${min} %.\n`,
    );
  const isFine = !files.some(hasFailed) && tooLow.length === 0;
  return { files, exitCode: isFine ? exitCodes.fine : exitCodes.errorsFound };
}

async function update(result: FileResult, output: Output): Promise<void> {
  const { text, changes } = updatedFile(result);
  if (changes === 0) return;
  await writeFile(result.file, text);
  output.write(
    `${visible(result.file)}: ${counted(changes, 'expectation')} rewritten. Read the difference before you keep it.\n`,
  );
}

function wantsCoverage({ coverage, lcov, min }: TestOptions): boolean {
  return coverage === true || lcov !== undefined || min !== undefined;
}

function asLcov({ file, source, units }: DefinitionCoverage): string {
  return toLcov(file, source, units);
}

function asText(output: Output): (coverage: DefinitionCoverage) => string {
  return ({ file, source, units }) => `\n${printCoverage(file, source, units, output)}`;
}

function readPercent(given: string): number {
  const percentage = Number(given);
  if (given.trim() !== '' && percentage >= 0 && percentage <= 100) return percentage;
  throw new UsageError(
    `"${visible(given)}" is not a percentage.`,
    'Write a number from 0 to 100: --min 90',
  );
}

async function testFilesIn(given: readonly string[]): Promise<readonly string[]> {
  const files = await findFiles(await Promise.all(given.map(patternOf)));
  const other = files.find((file) => !isTestFile(file) && !isMockFile(file));
  if (other === undefined) return files.filter((file) => !file.includes('node_modules/'));
  throw new UsageError(
    `"${visible(other)}" is not a test file.`,
    'The name of a test file ends with ".test.yaml" or ".test.json", and mocks of Step Functions Local are in MockConfigFile.json.',
  );
}

async function inputOf({ input }: TestOptions): Promise<Json | undefined> {
  if (input === undefined) return undefined;
  return readJsonArgument(
    input,
    '--input',
    `Write it like this: --input '{"total": 12}', or name a file.`,
  );
}

/** A folder means all test files in it. */
async function patternOf(given: string): Promise<string> {
  const isFolder = (await statusOf(given))?.isDirectory() === true;
  return isFolder ? `${escapePath(given.replace(/[/\\]+$/, ''))}/${allTests}` : given;
}

function printMistakes({ file, source, diagnostics }: FileResult, output: Output): string {
  if (diagnostics.length === 0) return '';
  const { colour, width } = output;
  return printPretty(
    diagnostics,
    { text: source.text, fileName: file },
    { colour, width: width() },
  );
}

/** Refuses a run without tests, which would always pass. */
function requireTests(files: readonly FileResult[], { only }: TestOptions): void {
  if (only === undefined || files.some(({ subject, results }) => !subject || results.length > 0))
    return;
  throw new UsageError(
    `No test has "${visible(only)}" in its name.`,
    'Without --only, all tests run.',
  );
}

function hasFailed({ subject, results }: FileResult): boolean {
  return !subject || results.some(({ failures }) => failures.length > 0);
}

/** Milliseconds to wait for further changes: editors write a file in several steps. */
const pause = 100;

/**
 * Runs now, and again after each change in the folders of the files, until the signal is aborted.
 *
 * @param run returns the files that it has read
 */
async function runOnChange(
  run: () => Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const folders = new Set((await run()).map((file) => dirname(file)));
    await changeIn([...folders], signal);
  }
}

/** Resolves when a file in one of the folders has changed, or when the signal is aborted. */
async function changeIn(folders: readonly string[], signal: AbortSignal): Promise<void> {
  const watchers: FSWatcher[] = [];
  await new Promise<void>((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const change = () => {
      clearTimeout(timer);
      timer = setTimeout(resolve, pause);
    };
    for (const folder of folders) watchers.push(watch(folder, change));
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  for (const watcher of watchers) watcher.close();
}

/** The text of a test file after failed expectations were replaced by what was found, and their number. */
interface UpdatedFile {
  readonly text: string;
  readonly changes: number;
}

/**
 * Rewrites expectations that do not hold. Rows of examples stay, because their values are in the table. Patterns and forbidden
 * texts also stay, because no value could replace them.
 */
function updatedFile({ source, results }: FileResult): UpdatedFile {
  const failures = results
    .filter(({ row }) => row === undefined)
    .flatMap(({ failures: own }) => own.filter(isUpdatable))
    .toSorted((a, b) => b.range.start.offset - a.range.start.offset);
  let { text } = source;
  for (const { range, found } of failures)
    text = `${text.slice(0, range.start.offset)}${written(found!)}${text.slice(range.end.offset)}`;
  return { text, changes: failures.length };
}

function isUpdatable({ found, expected, range }: PlacedFailure): boolean {
  if (found === undefined || range.start.offset === range.end.offset) return false;
  return typeof expected !== 'string' || !expected.startsWith('/');
}

/** JSON is valid in YAML too. A plain word needs no quotes. */
function written(value: Json): string {
  return typeof value === 'string' && /^[A-Za-z][\w -]*[\w]$/.test(value) && !isReserved(value)
    ? value
    : JSON.stringify(value);
}

function isReserved(word: string): boolean {
  return /^(true|false|null|yes|no|on|off)$/i.test(word);
}
