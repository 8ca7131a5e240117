import { open, writeFile } from 'node:fs/promises';
import { type AmazonOptions, type Gap, toAmazon, type Workflow } from '@dramaturg/asl';
import {
  type Diagnostic,
  diagnosticsToJson,
  isRecord,
  type JsonObject,
  printPretty,
  type Source,
} from '@dramaturg/compiler';
import { visible } from '@dramaturg/compiler/text';
import { Option } from 'commander';
import { check } from '../../../compile.ts';
import { type Command, command, storeArgument } from '../../command.ts';
import { requireNoErrors } from '../../definition-file.ts';
import { readOnePart } from '../../definition-parts.ts';
import { requireWritable, standardInput, titleOf } from '../../files.ts';
import { jsonLine, jsonText, outputTo, printProblems, visibleJson } from '../../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../../usage-error.ts';
import type { ReadingGateway } from '../gateway/gateway.ts';
import { readFromStore } from '../gateway/open-gateway.ts';
import { contactChannelOption } from '../host-options.ts';

interface ExportOptions extends AwsOptions {
  readonly to?: 'aws';
  readonly channel?: string;
}

export function exportCommand(): Command {
  return command('export')
    .json(
      'with -o: print the name of the file as { file }; with --to: print { definition }, or what AWS cannot run as { cannot }',
    )
    .description(
      'Prints everything about a contact as one JSON value: conversations and runs with transcript, journal, data, decisions and save points, their copies, the agents that they have called, and memories. With --to aws: writes a workflow in Amazon States Language, for AWS Step Functions, and names what it cannot run.',
    )
    .argument('<store>', `${storeArgument}; with --to, the file of the workflow`)
    .argument('[contact]', 'the address of the person; none with --to')
    .option(...contactChannelOption)
    .option(
      '-o, --output <file>',
      'a new file, which only you can read, instead of standard output',
    )
    .addOption(
      new Option('--to <target>', 'aws: write a workflow in Amazon States Language').choices([
        'aws',
      ]),
    )
    .addOption(
      new Option(
        '--agents <target>',
        'with --to: lambda makes each agent a Lambda function, ${NameFunctionArn}',
      ).choices(['lambda']),
    )
    .addOption(
      new Option(
        '--approvals <target>',
        'with --to: make each approval a task that waits for a token, by a message to the queue ${ApprovalsQueueUrl} or a call of the function ${ApprovalsFunctionArn}',
      ).choices(['sqs', 'lambda']),
    )
    .option('--leave-out', 'with --to: leave out fields that AWS does not have, such as budgets')
    .examples(
      'dramaturg export conversations "+56 9 1234 5678" --channel twilio --output ada.json',
      'dramaturg export conversations ada | jq ".instances[].transcript"',
      'dramaturg export order.asl.json --to aws --output order.aws.asl.json',
      'dramaturg export order.asl.json --to aws --agents lambda --approvals sqs --leave-out',
    )
    .action(async (folder: string, contact: string | undefined, options: ExportOptions) => {
      const { output, json } = options;
      if (options.to !== undefined) {
        if (contact !== undefined)
          throw new UsageError('With --to there is one file, and no contact.', 'Leave one out.');
        return exportToAws(folder, options);
      }
      requireNoTargets(options);
      if (contact === undefined)
        throw new UsageError(
          "Missing required argument 'contact'.",
          'Add the address of the person, or export a workflow with --to aws.',
        );
      const { channel } = options;
      const write = async (gateway: ReadingGateway) => {
        const parts = gateway.export({ contact, channel });
        if (output === undefined) await print(parts);
        else await writeParts(output, parts);
      };
      await readFromStore(folder, write, channel);
      if (json && output !== undefined) outputTo(process.stdout).write(jsonLine({ file: output }));
    });
}

function requireNoTargets({ agents, approvals, leaveOut }: ExportOptions): void {
  if (agents === undefined && approvals === undefined && leaveOut === undefined) return;
  throw new UsageError(
    '--agents, --approvals and --leave-out are for an export of a workflow.',
    'Add --to aws.',
  );
}

async function print(parts: AsyncIterable<string>): Promise<void> {
  const { write } = outputTo(process.stdout);
  for await (const part of parts) {
    write(visibleJson(part));
    if (process.stdout.writableNeedDrain)
      await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}

async function writeParts(path: string, parts: AsyncIterable<string>): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new UsageError(`"${visible(path)}" exists already.`, 'Name a new file.');
  });
  try {
    for await (const part of parts) await file.write(part);
  } finally {
    await file.close();
  }
}

interface AwsOptions extends AmazonOptions {
  readonly output?: string;
  readonly json?: true;
}

/**
 * Writes a workflow in Amazon States Language. What Amazon cannot run is printed with its place, and then nothing is written.
 *
 * @throws DefinitionError when the workflow has errors
 */
async function exportToAws(given: string, options: AwsOptions): Promise<ExitCode> {
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
  const text = jsonText(definition);
  const { json } = options;
  if (output === undefined) {
    process.stdout.write(json ? jsonLine({ definition }) : text);
    return exitCodes.fine;
  }
  await writeFile(output, text);
  process.stderr.write(`Wrote ${visible(output)}.\n`);
  if (json) process.stdout.write(jsonLine({ file: output }));
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
  if (json) process.stdout.write(jsonLine({ cannot: diagnosticsToJson(findings, file) }));
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
