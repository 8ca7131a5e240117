import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { run } from './project.ts';

/** Size limits of a page, in kilobytes after gzip. */
interface Ceiling {
  readonly source: string;
  /** The size that it loads at first. */
  readonly first: number;
  /** The size that `loadWorkflowEngines` loads. */
  readonly later?: number;
}

/**
 * Size limits of a page with `compile` for one format, and for all. Half of a plan's 125 kB is XState, `zod/mini`, and the YAML
 * parser without its writer. `loadWorkflowEngines` loads JSONata, a regular-expression engine that takes linear time, and the
 * part of zod that reads JSON Schemas.
 */
const ceilings: Readonly<Record<string, Ceiling>> = {
  plan: { source: oneFormat('plan', '@dramaturg/plan'), first: 135 },
  npc: { source: oneFormat('npc', '@dramaturg/npc'), first: 111 },
  'context graph': { source: oneFormat('contextGraph', '@dramaturg/context-graph'), first: 115 },
  lifecycle: { source: oneFormat('lifecycle', '@dramaturg/lifecycle'), first: 109 },
  asl: {
    source: `import { loadWorkflowEngines } from '@dramaturg/asl'; console.log(loadWorkflowEngines); ${oneFormat('asl', '@dramaturg/asl')}`,
    first: 232,
    later: 125,
  },
  'all formats': {
    source: `import { compile, loadWorkflowEngines } from 'dramaturg/browser'; console.log(compile(globalThis.text), loadWorkflowEngines);`,
    first: 356,
    later: 125,
  },
};

function oneFormat(name: string, from: string): string {
  return `import { compile } from '@dramaturg/compiler'; import { ${name} } from '${from}'; console.log(compile(globalThis.text, { formats: [${name}] }));`;
}

/** Bundles the source of each ceiling with esbuild. @returns the sizes in kilobytes @throws Error for those that are too large */
export function sizesIn(project: string): Readonly<Record<string, number>> {
  const sizes: Record<string, number> = {};
  const large: string[] = [];
  for (const [name, { source, ...most }] of Object.entries(ceilings)) {
    const found = measure(project, source);
    for (const part of ['first', 'later'] as const) {
      const ceiling = most[part] ?? 0;
      if (ceiling > 0) sizes[`${name}, ${part}`] = found[part];
      if (found[part] > ceiling)
        large.push(`${name}, ${part}: ${found[part].toFixed(1)} kB, at most ${ceiling}`);
    }
  }
  if (large.length > 0) throw new Error(large.join('\n'));
  return sizes;
}

/** The metafile of esbuild: the imports of each output file. */
interface Metafile {
  readonly outputs: Readonly<
    Record<
      string,
      { readonly imports: readonly { readonly path: string; readonly kind: string }[] }
    >
  >;
}

/** The kilobytes that a page of a source loads at first, and those that it may load later. */
function measure(project: string, source: string): Record<'first' | 'later', number> {
  writeFileSync(join(project, 'size.mjs'), source);
  run(
    'esbuild size.mjs --bundle --minify --format=esm --splitting --outdir=size --metafile=size.json',
    project,
  );
  const { outputs } = JSON.parse(readFileSync(join(project, 'size.json'), 'utf8')) as Metafile;
  const loaded = (...kinds: readonly string[]) => {
    const paths = new Set(['size/size.js']);
    for (const path of paths)
      for (const { path: imported, kind } of outputs[path]!.imports)
        if (kinds.includes(kind)) paths.add(imported);
    return paths;
  };
  const first = loaded('import-statement');
  // esbuild also writes chunks for code that it leaves out.
  const later = [...loaded('import-statement', 'dynamic-import')].filter(
    (path) => !first.has(path),
  );
  const size = (paths: Iterable<string>) =>
    [...paths].reduce(
      (sum, path) => sum + gzipSync(readFileSync(join(project, path))).byteLength,
      0,
    ) / 1_000;
  return { first: size(first), later: size(later) };
}
