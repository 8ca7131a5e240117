import type { Diagnostic, Json } from '@dramaturg/compiler';
import { read } from '@dramaturg/compiler/format';
import { visible } from '@dramaturg/compiler/text';
import { readText } from './files.ts';
import { UsageError } from './usage-error.ts';

/** Reads JSON that an option contains, or that is in the file the option names. Warns of numbers that lose digits. */
export async function readJsonArgument(given: string, option: string, hint: string): Promise<Json> {
  const isInline = /^\s*[[{"]/.test(given);
  const text = isInline ? given : await readText(given);
  const where = isInline ? option : `"${visible(given)}"`;
  const findings = () => read(text, { fileName: 'argument.json' }).diagnostics;
  try {
    const value = JSON.parse(text) as Json;
    const mayLoseDigits = /\d{16}/.test(text);
    for (const finding of mayLoseDigits ? findings() : [])
      if (finding.code === 'read/unsafe-number')
        process.stderr.write(`warning: ${where}: ${placedMessage(finding)} ${finding.hint}\n`);
    return value;
  } catch (error) {
    const diagnostics = findings();
    const [first] = diagnostics.filter(({ severity }) => severity === 'error');
    if (!first) throw new UsageError(`${where} is not JSON: ${(error as Error).message}.`, hint);
    throw new UsageError(`${where} is not JSON: ${placedMessage(first)}`, hint);
  }
}

/** The message of a finding with its position, for a text that is not printed with it. */
export function placedMessage({ range: { start }, message }: Diagnostic): string {
  return `line ${start.line}, column ${start.column}: ${message}`;
}
