import { diagnosticsToJson } from '@dramaturg/compiler';
import type { DefinitionCoverage } from '../../../testing/coverage/coverages-of.ts';
import type { FileResult } from '../../../testing/run-file.ts';
import { percent } from './coverage.ts';

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
