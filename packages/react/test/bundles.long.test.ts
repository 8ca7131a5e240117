import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Plugin, type Rolldown } from 'vite';
import { expect, onTestFinished, test } from 'vitest';

/** The most that a page loads before it can show anything, React included, in kilobytes after gzip. */
const ceilingsKb = { 'compiled-ahead': 172, 'compiled-in-page': 216 };

const app = join(import.meta.dirname, 'app');

interface Built {
  readonly chunks: readonly Rolldown.OutputChunk[];
  readonly assets: readonly Rolldown.OutputAsset[];
}

async function bundle(
  entry: string,
  options: { readonly plugins?: Plugin[] } = {},
): Promise<Built> {
  const result = await build({
    root: app,
    configFile: false,
    // Vitest sets another one.
    define: { 'process.env.NODE_ENV': '"production"' },
    oxc: { jsx: { runtime: 'automatic', development: false } },
    logLevel: 'error',
    css: { postcss: {} },
    worker: { format: 'es' },
    ...(options.plugins && {
      plugins: options.plugins,
      ssr: { noExternal: true, resolve: { conditions: ['react-server'] } },
    }),
    build: {
      write: false,
      target: 'esnext',
      ...(options.plugins && { ssr: true }),
      rollupOptions: {
        input: join(app, entry),
        // Bundlers of React know the directive; Vite alone reports each one.
        onLog: (level, log, handle) => {
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
        },
      },
    },
  });
  const { output } = result as Rolldown.RolldownOutput;
  return {
    chunks: output.filter((each) => each.type === 'chunk'),
    assets: output.filter((each) => each.type === 'asset'),
  };
}

const gzipKb = (code: string) => gzipSync(code, { level: 9 }).byteLength / 1_000;

test.each(Object.entries(ceilingsKb))(
  'an app with a chart %s is built by Vite and begins with at most %i kB',
  async (name, ceilingKb) => {
    const { chunks, assets } = await bundle(`${name}.tsx`);
    const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
    const first = new Set(chunks.filter(({ isEntry }) => isEntry));
    for (const { imports } of first) for (const each of imports) first.add(byName.get(each)!);
    const later = chunks.filter((chunk) => !first.has(chunk));
    const modulesOf = (some: Iterable<Rolldown.OutputChunk>) =>
      [...some].flatMap(({ moduleIds }) => moduleIds).join('\n');

    const sizeKb = [...first].reduce((sum, { code }) => sum + gzipKb(code), 0);
    expect(sizeKb).toBeLessThanOrEqual(ceilingKb);
    for (const large of ['elkjs', '@xyflow/react']) {
      expect(modulesOf(first)).not.toContain(large);
      expect(modulesOf(later)).toContain(large);
    }
    expect(assets.map(({ fileName }) => fileName).join('\n')).toMatch(/elk-worker-.*\.js/);
  },
);

test('on a server of React components, the package is imported, and its client parts are references', async () => {
  const clientModules: string[] = [];
  const references: Plugin = {
    name: 'client-references',
    enforce: 'pre',
    transform(code, id) {
      if (!/^(?:\s|\/\*[^]*?\*\/|\/\/.*)*['"]use client['"]/.test(code)) return undefined;
      clientModules.push(id);
      const names = [...code.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)];
      return names.map(([, name]) => `export const ${name} = { client: '${name}' };`).join('\n');
    },
  };
  const { chunks } = await bundle('server-page.tsx', { plugins: [references] });
  const [entry] = chunks.filter(({ isEntry }) => isEntry);
  expect(clientModules.map((id) => id.replace(/^.*\//, '')).toSorted()).toEqual([
    'conversation.js',
    'decision-form.js',
    'statechart.js',
    'timeline.js',
    'use-conversation.js',
    'use-host.js',
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-page-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const { fileName, code } of chunks) {
    const file = join(folder, fileName);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const url = pathToFileURL(join(folder, entry!.fileName)).href;
  const page = (await import(/* @vite-ignore */ url)) as Record<string, object>;
  expect(page['references']).toEqual({
    Statechart: { client: 'Statechart' },
    useConversation: { client: 'useConversation' },
  });
  expect(page['callable']).toEqual({
    hostClient: expect.any(Function),
    layOut: expect.any(Function),
  });
});
