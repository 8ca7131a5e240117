import type { Diagnostic, Position, Range } from '../diagnostic.ts';
import type { Path } from '../path.ts';

/** A finding as plain data, with its place in a file. Lines and columns count from 1; the end is just behind the range. */
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

/** Findings for programs. Texts are as authored: whoever shows them makes control characters visible. */
export function diagnosticsToJson(
  diagnostics: readonly Diagnostic[],
  name: string,
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
    file: name,
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
