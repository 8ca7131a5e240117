import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { Json, JsonObject } from '@dramaturg/compiler';
import { type Imports, read } from '@dramaturg/compiler/format';
import { formatsOf } from './known-formats.ts';

/** Further files are not read. */
const mostImports = 200;
const largestImport = 5_000_000;

/**
 * Reads the files that a definition imports or refers to, and those that these import: the option of `compile` for them, such as `imports`.
 * Reads only files inside the folder of the definition, does not follow links out of it, and fetches nothing. `compile`
 * reports missing files.
 *
 * @param file the path of the definition
 * @returns an empty object for a text without imports
 *
 * @example
 * ```ts
 * const fileName = 'order.asl.json';
 * const order = await readFile(fileName, 'utf8');
 * const { diagnostics } = compile(order, { fileName, options: await readImports(order, fileName) });
 * console.log(diagnostics.length); // → 0
 * ```
 */
export async function readImports(text: string, file: string): Promise<JsonObject> {
  const importing = formatsOf(file).flatMap(({ imports }) => imports ?? []);
  if (importing.length === 0) return {};
  const folder = await realpath(dirname(file)).catch(() => undefined);
  const { value } = read(text, { fileName: file });
  const imports = importing.find(({ sources }) => sources(value));
  if (imports === undefined || folder === undefined) return {};
  return { [imports.option]: Object.fromEntries(await filesFrom(value, folder, imports)) };
}

async function filesFrom(
  definition: unknown,
  folder: string,
  { sources, path: pathOf, suffixes = [''] }: Imports,
): Promise<ReadonlyMap<string, Json>> {
  const files = new Map<string, Json>();
  const importing: { from: string; value: unknown }[] = [{ from: '', value: definition }];
  for (const { from, value } of importing) {
    for (const source of sources(value) ?? []) {
      const path = pathOf(from, source);
      if (path === undefined || files.has(path) || files.size >= mostImports) continue;
      const found = await Promise.all(suffixes.map((suffix) => valueIn(folder, path + suffix)));
      const file = found.find((each) => each !== undefined);
      if (file === undefined) continue;
      files.set(path, file);
      importing.push({ from: path, value: file });
    }
  }
  return files;
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
