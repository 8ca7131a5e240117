import { detect } from '../detect.ts';
import type { Range } from '../diagnostic.ts';
import { read } from '../read/read.ts';
import type { Source } from '../read/source.ts';
import type { AuthoringOptions } from './authored-text.ts';
import { type DeclaredName, namesIn } from './names.ts';

/** A part of a definition that has a name, for the outline of an editor. */
export interface DefinitionSymbol {
  /** The author's word for such a part: `state`. */
  readonly noun: string;
  readonly name: string;
  /** The kind of the part in the definition's own word: `strict`. */
  readonly kind?: string;
  readonly title?: string;
  /** The whole part, with its key. */
  readonly range: Range;
  /** The name, within the range of the part. */
  readonly nameRange: Range;
  /** The named parts within it, in the order of the text. */
  readonly children: readonly DefinitionSymbol[];
}

interface OpenSymbol extends DefinitionSymbol {
  readonly children: OpenSymbol[];
}

/**
 * The named parts of a definition, in the order of the text; none for a text of no known format. Never throws.
 *
 * @example
 * ```ts
 * const workflow = 'StartAt: Pay\nStates:\n  Pay: { Type: Succeed }';
 * console.log(symbolsIn(workflow, { formats }).map(({ name }) => name)); // → [ 'Pay' ]
 * ```
 */
export function symbolsIn(
  text: string,
  { formats, fileName, format }: AuthoringOptions,
): readonly DefinitionSymbol[] {
  const source = read(text, fileName === undefined ? {} : { fileName });
  const detected = detect(source.value, formats, { fileName, format });
  if ('problem' in detected || !detected.format.authoring) return [];
  const outermost: OpenSymbol[] = [];
  /** The enclosing symbols, outermost first. */
  const around: OpenSymbol[] = [];
  for (const name of namesIn(source.value, detected.format.authoring)) {
    const symbol = symbolOf(name, source);
    while (around.length > 0 && !isWithin(symbol.range, around.at(-1)!.range)) around.pop();
    (around.at(-1)?.children ?? outermost).push(symbol);
    around.push(symbol);
  }
  return outermost;
}

function symbolOf(declared: DeclaredName, source: Source): OpenSymbol {
  const { noun, name, kind, title, path, part } = declared;
  const isField = part === 'value' && typeof path.at(-1) === 'string';
  const own = isField ? path.slice(0, -1) : path;
  const value = source.locate(own);
  const range = part === 'key' ? { ...value, start: source.locate(own, 'key').start } : value;
  const nameRange = source.locate(path, part);
  return {
    noun,
    name,
    ...(kind !== undefined && { kind }),
    ...(title !== undefined && { title }),
    range,
    // The name of a part that an alias repeats is written elsewhere.
    nameRange: isWithin(nameRange, range) ? nameRange : range,
    children: [],
  };
}

function isWithin(inner: Range, outer: Range): boolean {
  return inner.start.offset >= outer.start.offset && inner.end.offset <= outer.end.offset;
}
