import { counted, visible } from '@dramaturg/compiler/text';
import type { Copied } from '@dramaturg/host';
import { outputTo } from '../../output.ts';
import { visibleJson } from '../../visible.ts';

/** Prints how much a copy of a store contains, its checksum, and the parts that were left out. */
export function printCopied(from: string, to: string, copied: Copied, isJson: boolean): void {
  const { write, paint } = outputTo(process.stdout);
  if (isJson) {
    write(`${visibleJson(JSON.stringify(copied, undefined, 2))}\n`);
    return;
  }
  const { records, lines, checksum, skipped, wasComplete } = copied;
  const counts = `${counted(records, 'record')} and ${counted(lines, 'line')}`;
  const before = wasComplete ? 'The copy was complete. ' : '';
  write(`${paint('green', '✓')} ${before}"${visible(to)}" has ${counts}.\n`);
  write(visible(`  the same content as "${from}": SHA-256 ${checksum}`) + '\n');
  for (const { id, reason } of skipped)
    write(
      visible(`  left out: ${id === undefined ? 'a part of the store' : `"${id}"`}: ${reason}`) +
        '\n',
    );
}
