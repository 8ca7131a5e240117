import { detect } from '../detect.ts';
import type { Range } from '../diagnostic.ts';
import type { Path } from '../path.ts';
import { read } from '../read/read.ts';
import type { AuthoringOptions } from './authored-text.ts';
import { type DeclaredName, namesIn } from './names.ts';

/** A part of a definition that has a name, for the outline of an editor. */
export interface DefinitionSymbol {
  /** The author's word for such a part: `state`. */
  readonly noun: string;
  readonly name: string;
  /** The title of the part, if it is another text than its name. */
  readonly title?: string;
  /** The whole part. */
  readonly range: Range;
  /** Where its name is written. */
  readonly nameRange: Range;
  /** The named parts within it, in the order of the text. */
  readonly children: readonly DefinitionSymbol[];
}

interface OpenSymbol extends DefinitionSymbol {
  readonly path: Path;
  readonly children: OpenSymbol[];
}

/** The named parts of a definition, in the order of the text. Empty for a text that is not a definition. Never throws. */
export function symbolsOf(
  text: string,
  { formats, fileName, format: name }: AuthoringOptions,
): readonly DefinitionSymbol[] {
  const source = read(text, fileName === undefined ? {} : { fileName });
  const detected = detect(source.value, formats, { fileName, format: name });
  if (!('format' in detected) || !detected.format.authoring) return [];
  const top: OpenSymbol[] = [];
  const around: OpenSymbol[] = [];
  for (const declared of namesIn(source.value, detected.format.authoring)) {
    const path = pathOf(declared);
    while (around.length > 0 && !isWithin(path, around.at(-1)!.path)) around.pop();
    const key = source.locate(declared.path, declared.part);
    const { noun, name: own, title } = declared;
    const { start, end } = source.locate(path);
    const symbol: OpenSymbol = {
      path,
      noun,
      name: own,
      ...(title !== undefined && { title }),
      range: { start: key.start.offset < start.offset ? key.start : start, end },
      nameRange: key,
      children: [],
    };
    (around.at(-1)?.children ?? top).push(symbol);
    around.push(symbol);
  }
  return top.map(withoutPath);
}

/** The path of the part that has the name. */
function pathOf({ path, part }: DeclaredName): Path {
  const isItem = typeof path.at(-1) === 'number';
  return part === 'value' && !isItem ? path.slice(0, -1) : path;
}

function isWithin(path: Path, around: Path): boolean {
  return path.length > around.length && around.every((step, at) => path[at] === step);
}

function withoutPath({ path: _path, children, ...symbol }: OpenSymbol): DefinitionSymbol {
  return { ...symbol, children: children.map(withoutPath) };
}
