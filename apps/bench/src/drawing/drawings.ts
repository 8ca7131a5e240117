import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Drawing, drawingOf } from '@dramaturg/compiler/chart';
import { compile } from 'dramaturg';

const root = join(import.meta.dirname, '../../../..');
/** Definitions by other people, in a folder next to this repository. */
const corpus = join(root, '../shared/corpus');

/** The overviews of all fixtures and examples of this repository. */
export function fixtureDrawings(): readonly Drawing[] {
  return drawingsOf([
    ...globSync('packages/formats/*/test/fixtures/*/*.{json,yaml}', { cwd: root }).map((path) =>
      join(root, path),
    ),
    ...globSync('docs/examples/*.{json,yaml}', { cwd: root }).map((path) => join(root, path)),
  ]);
}

/** Undefined if there is no corpus. */
export function corpusDrawings(): readonly Drawing[] | undefined {
  if (!existsSync(corpus)) return undefined;
  const files = globSync('{asl,asl-real,context-graph,lifecycle,npc,plan}/**/*.{json,yaml,yml}', {
    cwd: corpus,
  });
  return drawingsOf(files.map((path) => join(corpus, path)));
}

function drawingsOf(files: readonly string[]): readonly Drawing[] {
  return files.toSorted().flatMap((file) => {
    const { chart } = compile(readFileSync(file, 'utf8'), { fileName: basename(file) });
    if (!chart) return [];
    const drawing = drawingOf(chart);
    return drawing.nodes.length < 3 ? [] : drawing;
  });
}
