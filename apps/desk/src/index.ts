import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the page. */
export interface DeskFile {
  readonly type: string;
  readonly body: Buffer<ArrayBuffer>;
  /** Whether its name contains a hash of its content, so that browsers may cache it. */
  readonly isImmutable: boolean;
}

/** The files of the page by their paths below `/desk/`, such as `index.html`. No other file is served. */
export type DeskFiles = ReadonlyMap<string, DeskFile>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Reads the built page. A service serves it under `/desk`: `serveHost(host, { desk: true })`.
 *
 * @throws Error when the page has not been built
 */
export async function readDesk(): Promise<DeskFiles> {
  // The path is the same from the sources and from dist.
  const folder = fileURLToPath(new URL('../dist/page/', import.meta.url));
  let names: string[];
  try {
    names = await readdir(folder, { recursive: true });
  } catch (cause) {
    throw new Error('The page of the desk has not been built: npm run build.', { cause });
  }
  const files = names.filter((name) => Object.hasOwn(types, extname(name)));
  return new Map(
    await Promise.all(
      files.map(async (name): Promise<[string, DeskFile]> => {
        const path = name.split(sep).join('/');
        const body = await readFile(join(folder, name));
        return [
          path,
          { type: types[extname(name)]!, body, isImmutable: path.startsWith('assets/') },
        ];
      }),
    ),
  );
}
