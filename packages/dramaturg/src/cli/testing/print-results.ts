import { type Diagnostic, diagnosticsToJson, printGithub, type Source } from '@dramaturg/compiler';
import { missingWords, reachedKeys } from '@dramaturg/compiler/chart';
import { counted, visible } from '@dramaturg/compiler/text';
import type { CoveredUnit, DefinitionCoverage } from '../../testing/coverage/coverage.ts';
import type { FileResult } from '../../testing/run-file.ts';
import type { PlacedFailure, PlacedResult } from '../../testing/prepared-tests.ts';
import type { Output } from '../output.ts';

/** A test for people: one line, and below it the expectations that do not hold. */
export function printResult(file: string, result: PlacedResult, { paint }: Output): string {
  const { name, failures, duration } = result;
  if (failures.length === 0)
    return `  ${paint('green', '✓')} ${visible(name)} ${paint('dim', `${Math.round(duration)} ms`)}\n`;
  const lines = failures.map((failure) => printFailure(file, failure, paint));
  const [calls = []] = failures.map((failure) => failure.calls ?? []);
  const more = calls.length > callsShown ? `, and ${calls.length - callsShown} more` : '';
  const asked =
    calls.length > 0
      ? `      ${paint('dim', `calls: ${visible(calls.slice(0, callsShown).join(', '))}${more}`)}\n`
      : '';
  return `  ${paint('red', '✗')} ${visible(name)}\n${lines.join('')}${asked}`;
}

/** Calls that are listed below a failure; the JSON has all. */
const callsShown = 12;

function printFailure(
  file: string,
  { message, hint, range: { start } }: PlacedFailure,
  paint: Output['paint'],
): string {
  const place = paint('dim', `${visible(file)}:${start.line}:${start.column}`);
  const advice = hint === undefined ? '' : `      ${paint('cyan', 'hint:')} ${visible(hint)}\n`;
  return `      ${visible(message)}\n${advice}      ${place}\n`;
}

/**
 * The last line of a run.
 *
 * @param seconds how long it took
 */
export function printTotals(
  files: readonly FileResult[],
  seconds: number,
  { paint }: Output,
): string {
  const results = files.flatMap((file) => file.results);
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const passed = results.length - failed;
  const unread = files.filter(({ subject }) => subject === undefined).length;
  const sign = failed + unread > 0 ? paint('red', '✗') : paint('green', '✓');
  const counts = `${counted(passed, 'test')} passed${failed > 0 ? `, ${failed} failed` : ''}`;
  const withErrors = unread > 0 ? ` (${unread} with mistakes, so not run)` : '';
  return `\n${sign} ${counts}, ${counted(files.length, 'file')}${withErrors}, ${seconds.toFixed(1)} s.\n`;
}

/** The results for programs. Spec: docs/testing.md#reports */
export function resultsToJson(
  files: readonly FileResult[],
  coverages: readonly DefinitionCoverage[],
) {
  const failed = (file: FileResult) =>
    file.results.filter(({ failures }) => failures.length > 0).length;
  const total = files.reduce((sum, { results }) => sum + results.length, 0);
  const failures = files.reduce((sum, file) => sum + failed(file), 0);
  return {
    files: files.map(({ file, subject, diagnostics, results }) => ({
      file,
      definition: subject?.file ?? null,
      diagnostics: diagnosticsToJson(diagnostics, file),
      tests: results.map(({ name, row, duration, failures: found, range }) => ({
        name,
        ...(row === undefined ? {} : { row }),
        line: range.start.line,
        passed: found.length === 0,
        duration_ms: Math.round(duration),
        failures: found.map(
          ({ message, hint, path, range: { start }, expected, found: actual }) => ({
            message,
            ...(hint === undefined ? {} : { hint }),
            path,
            line: start.line,
            column: start.column,
            ...(expected === undefined ? {} : { expected }),
            ...(actual === undefined ? {} : { found: actual }),
          }),
        ),
      })),
    })),
    ...(coverages.length > 0 ? { coverage: coverages.map(coverageToJson) } : {}),
    passed: total - failures,
    failed: failures,
  };
}

function coverageToJson({ file, source, units }: DefinitionCoverage) {
  return {
    definition: file,
    percent: percent(units),
    units: units.map(({ kind, holds, label, path, hits }) => ({
      kind,
      ...(holds === undefined ? {} : { holds }),
      label,
      path,
      line: source.locate(path).start.line,
      hits,
    })),
  };
}

/** The results as JUnit XML, which most CI systems read: a suite for each file. */
export function resultsToJunit(files: readonly FileResult[]): string {
  const suites = files.map(({ file, results }) => {
    const failed = results.filter(({ failures }) => failures.length > 0).length;
    const cases = results.map((result) => testCase(file, result)).join('');
    return `  <testsuite name="${escaped(file)}" tests="${results.length}" failures="${failed}" errors="0" skipped="0" time="${secondsOf(results)}">\n${cases}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`;
}

function testCase(file: string, result: PlacedResult): string {
  const { name, failures, range } = result;
  const head = `    <testcase classname="${escaped(file)}" name="${escaped(name)}" file="${escaped(file)}" line="${range.start.line}" time="${secondsOf([result])}"`;
  if (failures.length === 0) return `${head}/>\n`;
  const bodies = failures.map(({ message, hint, range: { start } }) => {
    const text = [message, hint, `${file}:${start.line}:${start.column}`]
      .filter(Boolean)
      .join('\n');
    return `      <failure message="${escaped(message)}">${escaped(text)}</failure>\n`;
  });
  return `${head}>\n${bodies.join('')}    </testcase>\n`;
}

function secondsOf(results: readonly PlacedResult[]): string {
  return (results.reduce((sum, { duration }) => sum + duration, 0) / 1000).toFixed(3);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

/** Characters that XML cannot have become question marks. */
function escaped(text: string): string {
  return text
    .replaceAll(/[&<>"\n\r\t]/g, (character) => entities[character]!)
    .replaceAll(/[^\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '?');
}

/** The failures as annotations of GitHub Actions. */
export function resultsToGithub(files: readonly FileResult[]): string {
  return files
    .map(({ file, diagnostics, results }) =>
      printGithub([...diagnostics, ...results.flatMap(diagnosticsOf)], file),
    )
    .join('');
}

function diagnosticsOf({ name, failures }: FileResult['results'][number]): Diagnostic[] {
  return failures.map(({ message, hint, path, range }) => ({
    code: 'test/failed',
    severity: 'error',
    path,
    range,
    message: `${name}: ${message}`,
    ...(hint === undefined ? {} : { hint }),
  }));
}

const kinds = [
  ['state', 'states'],
  ['transition', 'transitions'],
  ['condition', 'conditions that do not hold'],
  ['operand', 'truth values of operands'],
] as const;

/** The most unreached units that are printed for one definition. */
const missingMax = 20;

/** Prints what the tests of a definition do not reach, and the share that they reach. */
export function printCoverage(
  file: string,
  source: Source,
  units: readonly CoveredUnit[],
  { paint }: Output,
): string {
  const counts = kinds.flatMap(([kind, title]) => {
    const own = units.filter((unit) => unit.kind === kind);
    const hit = own.filter(({ hits }) => hits > 0).length;
    return own.length === 0 ? [] : [`${title} ${hit}/${own.length}`];
  });
  const reached = reachedKeys(units);
  const missing = units
    .filter(({ hits }) => hits === 0)
    .map((unit) => {
      const { label, path } = unit;
      const { line, column } = source.locate(path).start;
      const what = missingWords(unit, reached);
      return `  ${paint('yellow', what)}: ${visible(label)} ${paint('dim', `${visible(file)}:${line}:${column}`)}\n`;
    });
  const more = missing.length - missingMax;
  const rest = more > 0 ? `  and ${more} more: --json lists all\n` : '';
  const listed = missing.slice(0, missingMax).join('');
  return `${visible(file)}: ${percent(units)} % (${counts.join(', ')})\n${listed}${rest}`;
}

/** The reached share, rounded down: 100 means all. */
export function percent(units: readonly CoveredUnit[]): number {
  if (units.length === 0) return 100;
  return Math.floor((100 * units.filter(({ hits }) => hits > 0).length) / units.length);
}
