import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { run } from './project.ts';

/**
 * The most that a page loads for `compile` with one format, and with all, in kilobytes after gzip. Half of a plan's 123 kB is the YAML parser,
 * XState and `zod/mini`. The parser's nodes can also write YAML, which no bundler can leave out, because those are methods. Workflows have JSONata, a
 * regular-expression engine that takes linear time, and the whole of zod, because only that reads JSON Schemas.
 */
const ceilings: Readonly<Record<string, readonly [source: string, kilobytes: number]>> = {
  plan: [oneFormat('plan', '@dramaturg/plan'), 124],
  npc: [oneFormat('npc', '@dramaturg/npc'), 113],
  'context graph': [oneFormat('contextGraph', '@dramaturg/context-graph'), 115],
  lifecycle: [oneFormat('lifecycle', '@dramaturg/lifecycle'), 109],
  asl: [oneFormat('asl', '@dramaturg/asl'), 340],
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
