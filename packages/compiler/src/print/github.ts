import type { Diagnostic } from '../diagnostic.ts';
import { visible } from './visible.ts';

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
