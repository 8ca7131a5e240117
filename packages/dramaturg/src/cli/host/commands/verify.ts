import { counted, visible } from '@dramaturg/compiler/text';
import type { HostVerification } from '@dramaturg/host';
import { type Command, command, examples } from '../../command.ts';
import { outputTo, jsonText } from '../../output.ts';
import { exitCodes } from '../../usage-error.ts';
import { readFromStore } from '../gateway/open-gateway.ts';
import { progressOf } from '../print/progress.ts';

export function verifyCommand(): Command {
  return command('verify')
    .json()
    .description(
      'Reads everything in a store, compares all checksums, and lists what is damaged or missing, and instances that nothing would continue. Changes nothing. A host that runs the store goes on in the meantime.',
    )
    .store()
    .addHelpText(
      'after',
      `
If something is damaged or stuck, the command exits with 7.
${examples(['dramaturg verify conversations', 'dramaturg verify backups/monday --json'])}`,
    )
    .action(async (folder: string, { json }: { readonly json?: true }) => {
      const progress = progressOf({ verify: 'Verifying' });
      let found: HostVerification;
      try {
        found = await readFromStore(folder, (gateway) =>
          gateway.verify({}, { onProgress: (count, all) => progress.show('verify', count, all) }),
        );
      } finally {
        progress.end();
      }
      if (json) outputTo(process.stdout).write(jsonText(found));
      else print(folder, found);
      const isSound = found.damaged.length + found.stuck.length === 0;
      return isSound ? exitCodes.fine : exitCodes.storeUnusable;
    });
}

function print(folder: string, { records, lines, damaged, stuck }: HostVerification): void {
  const { write, paint } = outputTo(process.stdout);
  const sound = `${counted(records, 'record')} and ${counted(lines, 'line')}`;
  if (damaged.length + stuck.length === 0) {
    write(`${paint('green', '✓')} ${sound}, all sound.\n`);
    return;
  }
  const faults = [
    ...(damaged.length > 0 ? [`${counted(damaged.length, 'place')} damaged`] : []),
    ...(stuck.length > 0 ? [`${counted(stuck.length, 'instance')} stuck`] : []),
  ];
  write(`${paint('red', '✗')} ${faults.join(', ')}; ${sound} are sound.\n`);
  for (const { id, reason, where } of damaged)
    write(
      visible(`  ${id === undefined ? 'a part of the store' : `"${id}"`}: ${reason} (${where})`) +
        '\n',
    );
  for (const { id, reason } of stuck) write(`${visible(`  "${id}" is stuck: ${reason}`)}\n`);
  write(`${paint('cyan', 'hint:')} "dramaturg repair ${visible(folder)}" says what can be done.\n`);
}
