import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../../../..');

/** A fenced block of a page. */
export interface Block {
  /** The path of the page from the root, and the line of the fence. */
  readonly page: string;
  readonly line: number;
  readonly language: string;
  /** What follows the language: `file=intake.plan.yaml`, `run`, `background` ... */
  readonly info: string;
  readonly text: string;
  /** The text as the page has it, which may be indented. */
  readonly written: string;
}

export function pagesOf(...patterns: readonly string[]): readonly string[] {
  const exclude = (path: string) => /node_modules|\bdist\b/.test(path);
  return globSync(patterns, { cwd: root, exclude })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted();
}

export function blocksOf(page: string): readonly Block[] {
  const source = readFileSync(join(root, page), 'utf8');
  const fences = source.matchAll(/^( *)(````*)(\w*)([^\n]*)\n([^]*?)^ *\2 *$/gm);
  return Array.from(fences, ({ index, 1: indent, 3: language, 4: info, 5: written }) => ({
    page,
    line: source.slice(0, index).split('\n').length,
    language: language!,
    info: info!.trim(),
    text: written!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    written: written!,
  }));
}

/** The value of `name=value` behind the language of a block. */
export function settingOf({ info }: Block, name: string): string | undefined {
  const [, quoted, plain] = new RegExp(`(?:^| )${name}=(?:"([^"]*)"|(\\S+))`).exec(info) ?? [];
  return quoted ?? plain;
}

/** Whether a word such as `run` is behind the language of a block. */
export function isMarked({ info }: Block, word: string): boolean {
  return info
    .replaceAll(/"[^"]*"/g, '')
    .split(' ')
    .includes(word);
}
