import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Rolldown } from 'vite';
import type * as xstate from 'xstate';
import type * as workflows from '@dramaturg/asl';
import type * as compiler from '@dramaturg/compiler';
import type * as browser from '../src/browser.ts';

/** What a page gets of `dramaturg/browser`, and what links a chart, from a bundle of its own. */
export type BrowserBundle = typeof browser &
  Pick<typeof workflows, 'asl'> &
  Pick<typeof compiler, 'link'> &
  Pick<typeof xstate, 'createActor'>;

/** A bundle of `dramaturg/browser` as Vite makes it for a page, with the same engines not loaded yet for each `open`. */
export interface BundledBrowser {
  /** The modules of what a page loads at first, and of what it may load later. */
  readonly first: readonly string[];
  readonly later: readonly string[];
  readonly open: () => Promise<BrowserBundle>;
  readonly remove: () => void;
}

/** Test files of a worker share it: a bundle takes longer than most of their tests. */
let bundling: Promise<readonly Rolldown.OutputChunk[]> | undefined;

/** Inside of the package, so that the bundler finds what the entry imports. */
function newFolder(): string {
  mkdirSync(join(import.meta.dirname, '../node_modules'), { recursive: true });
  return mkdtempSync(join(import.meta.dirname, '../node_modules/.browser-'));
}

async function bundle(): Promise<readonly Rolldown.OutputChunk[]> {
  const folder = newFolder();
  const entry = join(folder, 'entry.js');
  writeFileSync(
    entry,
    `export * from 'dramaturg/browser';
export { asl } from '@dramaturg/asl';
export { link } from '@dramaturg/compiler';
export { createActor } from 'xstate';
`,
  );
  try {
    const [result] = (await build({
      root: folder,
      configFile: false,
      logLevel: 'error',
      publicDir: false,
      build: {
        write: false,
        target: 'es2023',
        lib: { entry, formats: ['es'], fileName: 'entry' },
      },
    })) as Rolldown.RolldownOutput[];
    return result!.output.filter((each) => each.type === 'chunk');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function bundleBrowser(): Promise<BundledBrowser> {
  const chunks = await (bundling ??= bundle());
  const folder = newFolder();
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const first = new Set(chunks.filter(({ isEntry }) => isEntry));
  for (const { imports } of first) for (const each of imports) first.add(byName.get(each)!);
  const modulesOf = (some: readonly Rolldown.OutputChunk[]) =>
    some.flatMap(({ moduleIds }) => moduleIds);
  let opened = 0;
  return {
    first: modulesOf([...first]),
    later: modulesOf(chunks.filter((chunk) => !first.has(chunk))),
    async open() {
      opened += 1;
      const copy = join(folder, String(opened));
      mkdirSync(copy);
      writeFileSync(join(copy, 'package.json'), '{"type":"module"}');
      for (const { fileName, code } of chunks) writeFileSync(join(copy, fileName), code);
      const [{ fileName }] = chunks.filter(({ isEntry }) => isEntry) as [Rolldown.OutputChunk];
      return (await import(
        /* @vite-ignore */ pathToFileURL(join(copy, fileName)).href
      )) as BrowserBundle;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
