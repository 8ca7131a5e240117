import type { Diagnostic, Position, Range } from '../diagnostic.ts';
import type { Path } from '../path.ts';

/** A finding as plain data, with its location in a file. Lines and columns count from 1; the end is exclusive. */
export interface PlacedFinding extends SourceLocation {
  readonly code: string;
  readonly severity: Diagnostic['severity'];
  readonly hint?: string;
  readonly related: readonly SourceLocation[];
}

interface SourceLocation {
  readonly file: string;
  readonly path: Path;
  readonly start: Position;
  readonly end: Position;
  readonly message: string;
}

/**
 * Converts findings to JSON for programs. Texts are as authored, so a program that shows them must escape control characters.
 *
 * @example
 * ```ts
 * const { diagnostics } = check('{ "states": [] }', { formats: [plan], format: 'plan' });
 * console.log(diagnosticsToJson(diagnostics, 'intake.plan.json')[0]?.file); // → intake.plan.json
 * ```
 */
export function diagnosticsToJson(
  diagnostics: readonly Diagnostic[],
  fileName: string,
): PlacedFinding[] {
  const place = ({
    path,
    range,
    message,
  }: {
    path: Path;
    range: Range;
    message: string;
  }): SourceLocation => ({
    file: fileName,
    path,
    start: range.start,
    end: range.end,
    message,
  });
  return diagnostics.map((diagnostic) => ({
    code: diagnostic.code,
    severity: diagnostic.severity,
    ...place(diagnostic),
    ...(diagnostic.hint === undefined ? {} : { hint: diagnostic.hint }),
    related: (diagnostic.related ?? []).map(place),
  }));
}
