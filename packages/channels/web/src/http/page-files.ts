import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** A built file of the page. */
export interface PageFile {
  readonly text: string;
  /** Changes when the file changes. */
  readonly version: string;
}

const names = ['chat.js', 'chat.css', 'embed.js'] as const;

export type PageFiles = Readonly<Record<(typeof names)[number], PageFile>>;

/**
 * Reads the built files of the page. No other file is served.
 *
 * @throws Error when the page has not been built
 */
export async function readPageFiles(): Promise<PageFiles> {
  const files = await Promise.all(names.map(async (name) => [name, await readPageFile(name)]));
  return Object.fromEntries(files) as PageFiles;
}

async function readPageFile(name: string): Promise<PageFile> {
  // The path is the same from the sources and from dist.
  const place = new URL(`../../dist/page/${name}`, import.meta.url);
  try {
    const text = await readFile(place, 'utf8');
    return { text, version: createHash('sha256').update(text).digest('hex').slice(0, 16) };
  } catch (cause) {
    throw new Error('The page of the web chat has not been built: npm run build.', { cause });
  }
}
