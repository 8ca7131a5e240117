import { Option } from 'commander';
import { type Command, command, examples, storeArgument } from '../../command.ts';
import { copyTo, type CopyToOptions, printCopied } from '../gateway/copy-to.ts';
import { storeKinds } from '../gateway/store-folder.ts';

export function copyCommand(): Command {
  return command('copy')
    .json()
    .description(
      'Copies a store that no host runs into a new store of any kind: a folder, a file, or Postgres. Every record keeps all that it has. In the end the content of both stores is compared. The source is only read.',
    )
    .argument('<from>', storeArgument)
    .argument('<to>', 'a store that does not exist yet, or an unfinished copy of the same store')
    .addOption(
      new Option(
        '--store <kind>',
        'the kind of the new store in a folder (default: lowdb)',
      ).choices(storeKinds),
    )
    .option('--skip-damaged', 'leave damaged records out, instead of refusing')
    .addHelpText(
      'after',
      `
If the command is interrupted, run it again: it goes on where it was. Until then
no host opens the new store. A copy that is complete is only compared.

The password of Postgres belongs in the variable PGPASSWORD or in ~/.pgpass.
${examples([
  'dramaturg copy conversations conversations.db',
  'dramaturg copy conversations.db conversations',
  'dramaturg copy conversations "postgres://app@db.example.com/app?schema=support"',
  'dramaturg copy damaged rescued --skip-damaged --json',
])}`,
    )
    .action(
      async (
        from: string,
        to: string,
        options: CopyToOptions & { readonly json?: true },
      ): Promise<void> => {
        printCopied(from, to, await copyTo(from, to, options), options.json === true);
      },
    );
}
