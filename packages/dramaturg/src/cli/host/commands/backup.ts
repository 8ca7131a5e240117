import { resolve } from 'node:path';
import { visible } from '@dramaturg/compiler/text';
import { type Command, command, examples } from '../../command.ts';
import { jsonText, outputTo } from '../../output.ts';
import { isServedGateway } from '../gateway/gateway.ts';
import { explainFailures } from '../gateway/explain-error.ts';
import { openOrServed, ownerName } from '../gateway/open-gateway.ts';
import { backupStore, requireNew, requireOutside } from '../gateway/store-data.ts';
import { requireStore, storeAt } from '../gateway/store-folder.ts';

export function backupCommand(): Command {
  return command('backup')
    .json()
    .description(
      'Copies a store with its memories to a new folder, as it is at one instant, and verifies the copy. A host that runs the store goes on in the meantime.',
    )
    .store()
    .argument('<target>', 'a folder that does not exist yet')
    .addHelpText(
      'after',
      `
The copy is a store: every command works with it, and "dramaturg restore" copies
it to another place or into another kind of store.
${examples([
  'dramaturg backup conversations backups/monday',
  'dramaturg backup conversations backups/monday --json',
])}`,
    )
    .action(async (folder: string, target: string, { json }: { readonly json?: true }) => {
      await explainFailures(folder, () => backup(folder, resolve(target)));
      const { write, paint } = outputTo(process.stdout);
      if (json) write(jsonText({ target: resolve(target) }));
      else write(`${paint('green', '✓')} "${visible(target)}" is a verified copy.\n`);
    });
}

async function backup(folder: string, target: string): Promise<void> {
  await requireStore(folder);
  const place = await storeAt(folder, {});
  await requireNew(target);
  await requireOutside(folder, target);
  const opened = await openOrServed(folder, async () => {
    const store = await place.open(ownerName('backup'));
    try {
      await backupStore(folder, target, (path) => store.backup(path));
    } finally {
      await store.close();
    }
  });
  if (isServedGateway(opened)) await opened.backup({ target });
}
