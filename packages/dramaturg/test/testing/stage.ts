import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { dramaturg, examples, type Result } from '../command.ts';

/** The plan of the documentation, as `intake`. */
export const intake = readFileSync(join(examples, 'customer-intake.plan.json'), 'utf8');

/** A folder with files; the command runs in it. */
export async function folderWith(files: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return {
    folder,
    read: (name: string) => readFile(join(folder, name), 'utf8'),
    write: (name: string, text: string) => writeFile(join(folder, name), text),
    test: (...args: readonly string[]): Promise<Result> =>
      dramaturg(['test', ...args], { cwd: folder }),
  };
}
