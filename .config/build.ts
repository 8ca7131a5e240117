/**
 * Builds all packages: their modules and declarations in one process of the compiler, the style sheet of drawings, then the bundles of
 * the pages, of the command and of libraries. The compiler builds what has changed. The bundles are built again when any source has
 * changed. `npm run check` checks types, which this does not.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import type * as style from '../packages/drawing/src/svg/style.ts';

/** The Vite configurations of each package. A later bundle can contain an earlier one. */
const bundles: Readonly<Record<string, readonly string[]>> = {
  'packages/compiler': ['.'],
  'packages/formats/asl': ['.'],
  'packages/dramaturg': ['.'],
  'packages/channels/web': ['page/chat', 'page/embed'],
  'packages/inspector': ['page'],
  'apps/desk': ['page'],
};

const root = join(import.meta.dirname, '..');
const packages = '{packages/*,packages/channels/*,packages/formats/*,apps/desk}';
const startedAt = new Date();

const { status, error } = spawnSync(
  process.execPath,
  [
    'node_modules/typescript/bin/tsc',
    '--build',
    '--noCheck',
    ...globSync(`${packages}/tsconfig.json`, { cwd: root }),
  ],
  { cwd: root, stdio: 'inherit' },
);
if (error) throw error;
if (status !== 0) process.exit(1);

const { pageStyle } = (await import(
  pathToFileURL(join(root, 'packages/drawing/dist/svg/style.js')).href
)) as typeof style;
const styles = join(root, 'packages/drawing/dist/styles.css');
// Tests that run beside this build may read the file.
if (!existsSync(styles) || readFileSync(styles, 'utf8') !== pageStyle)
  writeFileSync(styles, pageStyle);

const inputs = ['package-lock.json', `${packages}/{src,page}/**`, `${packages}/*.{json,ts}`];
const newest = (patterns: string[]) =>
  Math.max(...globSync(patterns, { cwd: root }).map((path) => statSync(join(root, path)).mtimeMs));
const changedAt = newest(inputs);
for (const [folder, configurations] of Object.entries(bundles)) {
  // In dist, so that deleting dist also deletes the stamp. It is not published.
  const stamp = join(root, folder, 'dist/bundles.tsbuildinfo');
  if (existsSync(stamp) && statSync(stamp).mtimeMs > changedAt) continue;
  for (const configuration of configurations)
    await build({
      root: join(root, folder, configuration),
      configFile: join(root, folder, configuration, 'vite.config.ts'),
      configLoader: 'native',
      logLevel: 'error',
    });
  writeFileSync(stamp, '');
  // A source that changes while it is bundled is newer than the bundle.
  utimesSync(stamp, startedAt, startedAt);
}
// The package that people install has the pages, for assistants and without a network.
const pages = join(root, 'packages/dramaturg/dist/docs');
if (!existsSync(pages) || statSync(pages).mtimeMs < newest(['docs/**'])) {
  rmSync(pages, { recursive: true, force: true });
  cpSync(join(root, 'docs'), pages, {
    recursive: true,
    filter: (path) =>
      !/\.vitepress|docs.(?:api|images)\b/.test(path) && ['', '.md'].includes(extname(path)),
  });
}
console.log(`The packages are built (${Math.ceil((Date.now() - startedAt.getTime()) / 1_000)} s).`);
