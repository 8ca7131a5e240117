import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

interface PageFile {
  readonly type: string;
  readonly body: Buffer;
}

/** The files of the page, by request path. No other file is served. */
export type Page = ReadonlyMap<string, PageFile>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Reads the built page.
 *
 * @throws Error when the page has not been built
 */
export async function readPage(): Promise<Page> {
  // The path is the same from the sources and from dist.
  const folder = fileURLToPath(new URL('../../dist/page/', import.meta.url));
  let names: string[];
  try {
    names = await readdir(folder, { recursive: true });
  } catch (cause) {
    throw new Error('The page of the inspector has not been built: npm run build.', { cause });
  }
  const files = names.filter((name) => Object.hasOwn(types, extname(name)));
  return new Map(
    await Promise.all(
      files.map(async (name): Promise<[string, PageFile]> => [
        `/${name.split(sep).join('/')}`,
        { type: types[extname(name)]!, body: await readFile(join(folder, name)) },
      ]),
    ),
  );
}
