import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Unique strings of letters and digits, which no encoding changes. */
export function plantedTexts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `zq${index}x${randomLetters()}`);
}

function randomLetters(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
    String.fromCodePoint(97 + (byte % 26)),
  ).join('');
}

/** All files of a store: those in its folder, or its file and the files next to it whose names begin with its name. */
export function filesIn(path: string): string[] {
  const name = basename(path);
  const names = readdirSync(dirname(path)).filter(
    (each) => each === name || each.startsWith(`${name}-`) || each.startsWith(`${name}.lock`),
  );
  return names.flatMap((each) => filesUnder(join(dirname(path), each)));
}

function filesUnder(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesUnder(join(path, name)));
}

/** Searches the names and all bytes of the files of a store. @returns each string that was found, with a file that contains it */
export function filesWith(path: string, texts: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const file of filesIn(path)) {
    const content = `${file}\n${readFileSync(file, 'latin1')}`;
    for (const text of texts) if (content.includes(text)) found[text] = file;
  }
  return found;
}
