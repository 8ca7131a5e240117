import { open } from 'node:fs/promises';
import { visible } from '@dramaturg/compiler';
import type { Command } from 'commander';
import { command, examples } from '../../command.ts';
import { outputTo } from '../../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../../usage-error.ts';
import { visibleJson } from '../../visible.ts';
import { withJson, storeArgument } from '../host-options.ts';
import { readFromStore } from '../gateway/read-from-store.ts';

interface ExportOptions {
  readonly output?: string;
  readonly json?: true;
}

export function exportCommand(done: (code: ExitCode) => void): Command {
  return withJson(command('export'), 'with -o: print the name of the file as { file }')
    .description(
      'Prints everything about a contact as one JSON value: conversations and runs with transcript, journal, data, decisions and save points, their copies, the agents that they have called, and memories.',
    )
    .argument('<store>', storeArgument)
    .argument('<contact>', 'the address of the person, in any spelling')
    .option(
      '-o, --output <file>',
      'a new file, which only you can read, instead of standard output',
    )
    .addHelpText(
      'after',
      examples([
        'dramaturg export conversations "+56 9 1234 5678" --output ada.json',
        'dramaturg export conversations ada | jq ".instances[].transcript"',
      ]),
    )
    .action(async (folder: string, contact: string, { output, json }: ExportOptions) => {
      await readFromStore(folder, async (gateway) => {
        const parts = gateway.export(contact);
        if (output === undefined) await print(parts);
        else await writeFile(output, parts);
      });
      if (json && output !== undefined)
        outputTo(process.stdout).write(`${visibleJson(JSON.stringify({ file: output }))}\n`);
      done(exitCodes.fine);
    });
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
