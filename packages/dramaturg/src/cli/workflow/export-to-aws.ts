import { writeFile } from 'node:fs/promises';
import { type AmazonOptions, type Gap, toAmazon, type Workflow } from '@dramaturg/asl';
import {
  type Diagnostic,
  isRecord,
  type JsonObject,
  printPretty,
  diagnosticsToJson,
} from '@dramaturg/compiler';
import type { Source } from '@dramaturg/compiler';
import { visible } from '@dramaturg/compiler/text';
import { check } from '../../compile.ts';
import { requireNoErrors } from '../definition-error.ts';
import { readOnePart } from '../definition-parts.ts';
import { standardInput, titleOf } from '../files.ts';
import { outputTo } from '../output.ts';
import { printProblems } from '../print-problems.ts';
import { requireWritable } from '../require-writable.ts';
import { type ExitCode, exitCodes, UsageError } from '../usage-error.ts';
import { visibleJson } from '../visible.ts';

export interface AwsOptions extends AmazonOptions {
  readonly output?: string;
  readonly json?: true;
}

/**
 * Writes a workflow in Amazon States Language. What Amazon cannot run is printed with its place, and then nothing is written.
 *
 * @throws DefinitionError when the workflow has errors
 */
export async function exportToAws(given: string, options: AwsOptions): Promise<ExitCode> {
  const part = await readOnePart(given, {});
  const output = options.output === standardInput ? undefined : options.output;
  if (output !== undefined) await requireWritable(output, part.file);
  const checked = check(part.text, part.options);
  const isWorkflow = checked.format === undefined || checked.format === 'asl';
  if (!isWorkflow)
    throw new UsageError(
      'Only a workflow can be exported to AWS.',
      'Name a workflow in Agent State Language or Amazon States Language.',
    );
  printProblems(checked, part.file);
  requireNoErrors(checked, part.file);
  const { source } = checked;
  const { dialect } = checked.definition as Workflow;
  const { definition, gaps } = toAmazon(source.value as JsonObject, dialect, options);
  const refused = gaps.length > 0 ? gaps : refusedByAmazon(definition);
  if (refused.length > 0) return printGaps(refused, source, part.file, options);
  const text = `${visibleJson(JSON.stringify(definition, undefined, 2))}\n`;
  const { json } = options;
  if (output === undefined) {
    process.stdout.write(json ? `${visibleJson(JSON.stringify({ definition }))}\n` : text);
    return exitCodes.fine;
  }
  await writeFile(output, text);
  process.stderr.write(`Wrote ${visible(output)}.\n`);
  if (json) process.stdout.write(`${visibleJson(JSON.stringify({ file: output }))}\n`);
  return exitCodes.fine;
}

/** The findings of the strict check of Amazon States Language in an export. */
function refusedByAmazon(definition: JsonObject): Gap[] {
  const { diagnostics } = check(JSON.stringify(definition), {
    format: 'asl',
    options: { dialect: 'amazon' },
  });
  return diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ path, message, hint }) => ({
      path,
      message,
      hint: hint ?? 'Change it in the workflow.',
    }));
}

function printGaps(
  gaps: readonly Gap[],
  source: Source,
  file: string,
  { json }: AwsOptions,
): ExitCode {
  const findings: Diagnostic[] = gaps.map(({ path, message, hint }) => ({
    code: 'aws/not-available',
    severity: 'error',
    message,
    hint,
    path,
    range: source.locate(path, isField(source.value, path) ? 'key' : 'value'),
  }));
  const { colour, width, write } = outputTo(process.stderr);
  const place = { text: source.text, fileName: titleOf(file) };
  write(`${printPretty(findings, place, { colour, width: width() }).trimEnd()}\n`);
  if (json)
    process.stdout.write(
      `${visibleJson(JSON.stringify({ cannot: diagnosticsToJson(findings, file) }))}\n`,
    );
  return exitCodes.errorsFound;
}

/** A field is shown at its name, and an item of a list at its value. */
function isField(value: unknown, path: Gap['path']): boolean {
  const holder = path.slice(0, -1).reduce((part: unknown, step) => {
    const isHolder = isRecord(part) || Array.isArray(part);
    return isHolder ? (part as Record<string, unknown>)[step] : undefined;
  }, value);
  return isRecord(holder);
}
