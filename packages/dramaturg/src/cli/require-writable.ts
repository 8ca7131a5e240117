import { dirname } from 'node:path';
import { visible } from '@dramaturg/compiler/text';
import { statusOf } from './files.ts';
import { UsageError } from './usage-error.ts';

/** Refuses an output that cannot be written, and one that is the definition itself, also under another name. */
export async function requireWritable(output: string, input: string): Promise<void> {
  const name = `"${visible(output)}"`;
  const [target, definition] = await Promise.all([statusOf(output), statusOf(input)]);
  if (target?.isDirectory())
    throw new UsageError(
      `${name} is a folder.`,
      `Name a file in it, such as -o "${visible(output)}/machine.json".`,
    );
  if (target && target.ino === definition?.ino && target.dev === definition.dev) {
    throw new UsageError(
      `${name} is the definition itself, which the output would overwrite.`,
      'Name another file with -o.',
    );
  }
  const folder = dirname(output);
  if (target === undefined && !(await statusOf(folder))?.isDirectory()) {
    throw new UsageError(
      `There is no folder "${visible(folder)}".`,
      'Create it first, or name another folder with -o.',
    );
  }
}
