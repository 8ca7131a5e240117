import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { importedPath } from '@dramaturg/asl';
import { isRecord, type Json, type JsonObject, read } from '@dramaturg/compiler';

/** Further files are not read. */
const mostImports = 200;
const largestImport = 5_000_000;

/**
 * Reads the files that the `Imports` of a workflow name, and the imports of these files: the option `imports` of `compile`.
 * Reads only files inside the folder of the workflow, does not follow links out of it, and fetches nothing. `compile`
 * reports missing files.
 *
 *     const compiled = compile(text, { fileName, options: await readImports(text, fileName) });
 *
 * @param file the path of the workflow
 * @returns an empty object for a text without imports
 */
export async function readImports(text: string, file: string): Promise<JsonObject> {
  const folder = await realpath(dirname(file)).catch(() => undefined);
  const first = importsIn(read(text, { fileName: file }).value);
  if (first === undefined || folder === undefined) return {};
  const files = new Map<string, Json>();
  const pending = first.map((source) => ({ from: '', source }));
  for (const { from, source } of pending) {
    const path = importedPath(from, source);
    if (path === undefined || files.has(path) || files.size >= mostImports) continue;
    const value = await valueIn(folder, path);
    if (value === undefined) continue;
    files.set(path, value);
    for (const more of importsIn(value) ?? []) pending.push({ from: path, source: more });
  }
  return { imports: Object.fromEntries(files) };
}

function importsIn(value: unknown): string[] | undefined {
  const imports = isRecord(value) && isRecord(value['States']) ? value['Imports'] : undefined;
  if (!isRecord(imports)) return undefined;
  return Object.values(imports).filter((source) => typeof source === 'string');
}

/** @returns undefined for a file that is missing, outside of the folder, or not a definition */
async function valueIn(folder: string, path: string): Promise<Json | undefined> {
  try {
    const file = await realpath(join(folder, path));
    if (!file.startsWith(folder + sep)) return undefined;
    const { size } = await stat(file);
    if (size > largestImport) return undefined;
    return read(await readFile(file, 'utf8'), { fileName: file }).value as Json | undefined;
  } catch {
    return undefined;
  }
}
