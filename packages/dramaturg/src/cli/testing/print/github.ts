import { type Diagnostic, printGithub } from '@dramaturg/compiler';
import type { FileResult } from '../../../testing/run-file.ts';

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
