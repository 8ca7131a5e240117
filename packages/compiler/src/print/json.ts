import type { Diagnostic, Position, Range } from '../diagnostic.ts';
import type { Path } from '../json.ts';
import { visible } from './pretty.ts';

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

const commands = { error: 'error', warning: 'warning', info: 'notice' } as const;

/**
 * Prints findings as workflow commands, which GitHub Actions shows at the line in a pull request. GitHub supports columns
 * only within one line, and its end column is inclusive.
 *
 * @param fileName the path of the file from the root of the repository
 *
 * @example
 * ```ts
 * const { diagnostics } = check('StartAt: Pya\nStates: { Pay: { Type: Succeed } }');
 * const annotations = printGithub(diagnostics, 'pay.asl.yaml');
 * console.log(annotations.startsWith('::error file=pay.asl.yaml,line=1,')); // → true
 * ```
 */
export function printGithub(diagnostics: readonly Diagnostic[], fileName: string): string {
  return diagnostics.map((diagnostic) => `${command(diagnostic, fileName)}\n`).join('');
}

function command(
  { severity, code, range: { start, end }, message, hint }: Diagnostic,
  name: string,
): string {
  const oneLine = start.line === end.line;
  const properties = {
    file: name,
    line: start.line,
    ...(oneLine ? { col: start.column } : {}),
    endLine: end.line,
    ...(oneLine ? { endColumn: Math.max(start.column, end.column - 1) } : {}),
    title: code,
  };
  const listed = Object.entries(properties).map(
    ([key, value]) => `${key}=${property(String(value))}`,
  );
  const text = [message, ...(hint === undefined ? [] : [hint])].map(data).join('%0A');
  return `::${commands[severity]} ${listed.join(',')}::${text}`;
}

/** Escapes text. Line breaks become visible characters, so that text cannot start a command of its own. */
function data(text: string): string {
  return visible(text).replaceAll('%', '%25');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
