import { type Command, command } from '../../command.ts';
import { outputTo, jsonText } from '../../output.ts';
import { findInstance, readFromStore } from '../gateway/open-gateway.ts';
import { writeInstance } from '../print/instance.ts';

interface ShowOptions {
  readonly json?: true;
  readonly full?: boolean;
}

export function showCommand(): Command {
  return command('show')
    .json()
    .description(
      'Shows an instance: its state, its input, its output or the error with the state that has failed, and what it waits for. Large data are shortened.',
    )
    .option('--full', 'print all data and everything that the instance waits for')
    .store()
    .instance()
    .examples(
      'dramaturg show conversations 3f2a',
      'dramaturg show conversations 3f2a --full',
      'dramaturg show conversations 3f2a --json',
    )
    .action(async (folder: string, given: string, { json, full = false }: ShowOptions) => {
      const instance = await readFromStore(folder, async (gateway) =>
        gateway.get(await findInstance(gateway, given, folder)),
      );
      const output = outputTo(process.stdout);
      if (json) output.write(jsonText(instance));
      else writeInstance(output, instance, { full, now: Date.now() });
    });
}
