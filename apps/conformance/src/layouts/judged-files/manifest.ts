import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A row of the manifest. `accept`: the service deploys the file unchanged. `refuse`: the file cannot be deployed. `disputed`:
 * unknown.
 */
export interface JudgedFile {
  /** The path from the folder of the manifest. */
  readonly file: string;
  readonly expected: 'accept' | 'refuse' | 'disputed';
  /** The reason for the verdict; may be empty. */
  readonly why: string;
}

const columns = ['file', 'expected', 'why'] as const;

/** Reads `manifest.tsv`. @returns undefined when the folder has none with the columns `file`, `expected` and `why` */
export function readManifest(folder: string): readonly JudgedFile[] | undefined {
  const path = join(folder, 'manifest.tsv');
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  const [head = '', ...rows] = readFileSync(path, 'utf8').split(/\r?\n/);
  const names = head.split('\t');
  const places = columns.map((column) => names.indexOf(column));
  if (places.includes(-1)) return undefined;
  return rows.filter(Boolean).map((row) => {
    const cells = row.split('\t');
    const [file = '', expected = '', why = ''] = places.map((place) => cells[place]);
    return { file, expected: verdictOf(expected, file), why };
  });
}

function verdictOf(word: string, file: string): JudgedFile['expected'] {
  if (word === 'accept' || word === 'refuse' || word === 'disputed') return word;
  throw new TypeError(`The manifest expects "${word}" of ${file}.`);
}
