import { open } from 'node:fs/promises';
import { visible } from '@dramaturg/compiler/text';
import { type Command, Option } from 'commander';
import { command, examples } from '../../command.ts';
import { outputTo } from '../../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../../usage-error.ts';
import { visibleJson } from '../../visible.ts';
import { contactChannelOption, withJson, storeArgument } from '../host-options.ts';
import { type AwsOptions, exportToAws } from '../../workflow/export-to-aws.ts';
import type { ReadingGateway } from '../gateway/gateway.ts';
import { readFromStore } from '../gateway/read-from-store.ts';

interface ExportOptions extends AwsOptions {
  readonly to?: 'aws';
  readonly channel?: string;
}

export function exportCommand(done: (code: ExitCode) => void): Command {
  return withJson(
    command('export'),
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
    .addHelpText(
      'after',
      examples([
        'dramaturg export conversations "+56 9 1234 5678" --channel twilio --output ada.json',
        'dramaturg export conversations ada | jq ".instances[].transcript"',
        'dramaturg export order.asl.json --to aws --output order.aws.asl.json',
        'dramaturg export order.asl.json --to aws --agents lambda --approvals sqs --leave-out',
      ]),
    )
    .action(async (folder: string, contact: string | undefined, options: ExportOptions) => {
      const { output, json } = options;
      if (options.to !== undefined) {
        if (contact !== undefined)
          throw new UsageError('With --to there is one file, and no contact.', 'Leave one out.');
        done(await exportToAws(folder, options));
        return;
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
        else await writeFile(output, parts);
      };
      await readFromStore(folder, write, channel);
      if (json && output !== undefined)
        outputTo(process.stdout).write(`${visibleJson(JSON.stringify({ file: output }))}\n`);
      done(exitCodes.fine);
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

async function writeFile(path: string, parts: AsyncIterable<string>): Promise<void> {
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
