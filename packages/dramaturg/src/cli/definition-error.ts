import type { Checked } from '@dramaturg/compiler';
import { diagnosticsToJson, type PlacedFinding } from '@dramaturg/compiler';
import { type ExitCode, exitCodes, UsageError } from './usage-error.ts';

/** Thrown when a definition has errors, after `printProblems` has printed them on standard error. */
export class DefinitionError extends UsageError {
  /** The first error. */
  readonly first: PlacedFinding;
  /** All errors and warnings, by their places. */
  readonly findings: readonly PlacedFinding[];

  /** @param findings at least one of them is an error */
  constructor(findings: readonly PlacedFinding[], exitCode: ExitCode = exitCodes.errorsFound) {
    const first = findings.find(({ severity }) => severity === 'error')!;
    super(first.message, first.hint, exitCode, first.code);
    this.first = first;
    this.findings = findings;
  }
}

/** @throws DefinitionError when the definition has errors */
export function requireNoErrors(
  { diagnostics }: Pick<Checked, 'diagnostics' | 'source'>,
  file: string,
  exitCode?: ExitCode,
): void {
  if (!diagnostics.some(({ severity }) => severity === 'error')) return;
  const problems = diagnostics.filter(({ severity }) => severity !== 'info');
  throw new DefinitionError(diagnosticsToJson(problems, file), exitCode);
}
