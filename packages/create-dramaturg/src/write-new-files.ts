import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { NewFile } from './definition-template.ts';

/**
 * Writes files into a folder, which is created if needed. Never overwrites: when one of them exists, none is written.
 *
 * @returns the names of the files that exist already; empty when all were written
 */
export async function writeNewFiles(folder: string, files: readonly NewFile[]): Promise<string[]> {
  const existing = files.map(({ name }) => name).filter((name) => existsSync(join(folder, name)));
  if (existing.length > 0) return existing;
  for (const { name, text } of files) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: 'wx' });
  }
  return [];
}
