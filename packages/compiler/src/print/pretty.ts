import type { Diagnostic, Position, Severity } from '../diagnostic.ts';
import { counted } from '../grammar.ts';
import { printPath } from '../path.ts';
import { excerptOf } from './excerpt.ts';
import { columnsOf, visible } from './visible.ts';

export interface PrettyOptions {
  /** Colour for a terminal. */
  readonly colour?: boolean;
  /** Columns of a line. */
  readonly width?: number;
}

const usualWidth = 85;
const narrowest = 40;

/**
 * Prints findings for people: each with its location, its line and its hint, and a count at the end.
 *
 * @example
 * ```ts
 * const workflow = 'StartAt: Pya\nStates: { Pay: { Type: Succeed } }';
 * const printed = printPretty(check(workflow).diagnostics, { text: workflow, fileName: 'pay.asl.yaml' });
 * console.log(printed.includes('Did you mean "Pay"?')); // → true
 * ```
 */
export function printPretty(
  diagnostics: readonly Diagnostic[],
  source: { readonly text: string; readonly fileName: string },
  options: PrettyOptions = {},
): string {
  const paint = options.colour ? painted : (text: string) => text;
  const width = Math.max(narrowest, options.width ?? usualWidth);
  const name = visible(source.fileName);
  const findings = diagnostics.map((diagnostic) =>
    printOne(diagnostic, source.text, name, width, paint),
  );
  return [...findings, `${summary(diagnostics, name, paint)}\n`].join('\n');
}

function printOne(
  diagnostic: Diagnostic,
  text: string,
  name: string,
  width: number,
  paint: Paint,
): string {
  const { severity, code, range, path, message, hint, related = [] } = diagnostic;
  const at = place(name, range.start);
  const gap = Math.max(2, width - columnsOf(`${severity} ${visible(code)}${at}`));
  const way = visible(printPath(path));
  const lines = [
    `${paint(severity, severity)} ${paint(visible(code), 'strong')}${' '.repeat(gap)}${paint(at, 'quiet')}`,
    ...(way === '' ? [] : [`  ${paint(way, 'quiet')}`]),
    `  ${visible(message)}`,
    ...printExcerpt(diagnostic, text, width, paint),
    ...(hint === undefined ? [] : [`  ${paint('hint:', 'hint')} ${visible(hint)}`]),
    ...related.map(
      (other) => `  ${paint(place(name, other.range.start), 'quiet')} ${visible(other.message)}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** An empty text has no line to show. */
function printExcerpt(
  { range, severity }: Diagnostic,
  text: string,
  width: number,
  paint: Paint,
): string[] {
  if (text.trim() === '') return [];
  const number = String(range.start.line).padStart(4);
  const gutter = `  ${number} | `;
  const shown = excerptOf(text, range, width - gutter.length);
  const marks = paint('^'.repeat(shown.length), severity);
  return [
    `  ${paint(`${number} |`, 'quiet')} ${shown.text}`.trimEnd(),
    `  ${paint(`${' '.repeat(number.length)} |`, 'quiet')} ${' '.repeat(shown.indent)}${marks}`,
  ];
}

function place(name: string, { line, column }: Position): string {
  return `${name}:${line}:${column}`;
}

/** `2 errors, 1 warning in intake.plan.json` */
function summary(diagnostics: readonly Diagnostic[], name: string, paint: Paint): string {
  const counts = (['error', 'warning', 'info'] as const)
    .map((severity) => ({
      severity,
      count: diagnostics.filter((one) => one.severity === severity).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) =>
      paint(counted(count, severity === 'info' ? 'note' : severity), severity),
    );
  return counts.length === 0 ? `${name}: no problems` : `${counts.join(', ')} in ${name}`;
}

type Style = Severity | 'strong' | 'quiet' | 'hint';
type Paint = (text: string, style: Style) => string;

const codes: Record<Style, string> = {
  error: '1;31',
  warning: '1;33',
  info: '1;34',
  strong: '1',
  quiet: '2',
  hint: '36',
};

function painted(text: string, style: Style): string {
  return `\u001B[${codes[style]}m${text}\u001B[0m`;
}
