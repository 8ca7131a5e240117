import type { Path } from '../json.ts';
import type { Source } from './source.ts';

/** Makes a part of a file a source of its own, with the positions of the file. `value` may be rewritten, but keeps its paths. */
export function partOf(file: Source, path: Path, value: unknown): Source {
  const isInside = (place: Path) => path.every((step, index) => place[index] === step);
  return {
    text: file.text,
    value,
    diagnostics: file.diagnostics
      .filter((diagnostic) => isInside(diagnostic.path))
      .map((diagnostic) => ({ ...diagnostic, path: diagnostic.path.slice(path.length) })),
    locate: (inner, part) => file.locate([...path, ...inner], part),
  };
}

/** A text that is neither JSON nor YAML. Its value is unknown, and all paths are located at its beginning. */
export function plainText(text: string): Source {
  const start = { line: 1, column: 1, offset: 0 };
  return { text, value: undefined, diagnostics: [], locate: () => ({ start, end: start }) };
}
