import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { run } from './project.ts';

/**
 * The most that a page loads for `compile` with one format, and with all, in kilobytes after gzip. Most of it is not ours: of a plan's 141 kB,
 * the YAML parser has 30, zod 28 and XState 13. Workflows have JSONata and a regular-expression engine that takes linear time.
 * New findings of `check` and the names that editors complete have brought all formats from 429 kB to 434.
 */
const ceilings: Readonly<Record<string, readonly [source: string, kilobytes: number]>> = {
  plan: [oneFormat('plan', '@dramaturg/plan'), 142],
  npc: [oneFormat('npc', '@dramaturg/npc'), 132],
  'context graph': [oneFormat('contextGraph', '@dramaturg/context-graph'), 134],
  lifecycle: [oneFormat('lifecycle', '@dramaturg/lifecycle'), 128],
  asl: [oneFormat('asl', '@dramaturg/asl'), 338],
  'all formats': [
    `import { compile } from 'dramaturg/browser'; console.log(compile(globalThis.text));`,
    436,
  ],
};

function oneFormat(name: string, from: string): string {
  return `import { compile } from '@dramaturg/compiler'; import { ${name} } from '${from}'; console.log(compile(globalThis.text, { formats: [${name}] }));`;
}

/** Bundles each with esbuild. @returns the sizes in kilobytes @throws Error for those that are too large */
export function sizesIn(project: string): Readonly<Record<string, number>> {
  const sizes = Object.entries(ceilings).map(([name, [source]]) => {
    writeFileSync(join(project, 'size.mjs'), source);
    run(
      'npx --no-install esbuild size.mjs --bundle --minify --format=esm --outfile=size.js',
      project,
    );
    return [name, gzipSync(readFileSync(join(project, 'size.js'))).byteLength / 1_000] as const;
  });
  const large = sizes.filter(([name, size]) => size > ceilings[name]![1]);
  if (large.length > 0)
    throw new Error(
      large
        .map(([name, size]) => `${name}: ${size.toFixed(1)} kB, at most ${ceilings[name]![1]}`)
        .join('\n'),
    );
  return Object.fromEntries(sizes);
}
