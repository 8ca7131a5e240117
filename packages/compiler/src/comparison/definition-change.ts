import type { Position } from '../diagnostic.ts';
import type { Json } from '../json.ts';
import type { Path } from '../path.ts';
import type { Source } from '../read/source.ts';

/** A part of a definition in the author's words: `{ noun: 'task', name: 'facts' }`. */
export interface PartName {
  readonly noun: string;
  readonly name: string;
}

/** The place of a part in the text of its definition. */
export interface PartPlace extends Pick<Position, 'line' | 'column'> {
  readonly path: Path;
}

interface ChangeOf<Kind extends string> {
  readonly change: Kind;
  /** The part, with the parts around it, the outermost first; empty for the definition itself. */
  readonly part: readonly PartName[];
  /** Where it is in the old definition; absent from an added part. */
  readonly old?: PartPlace;
  /** Where it is in the new definition; absent from a removed part. */
  readonly new?: PartPlace;
}

/** A difference between two definitions. */
export type DefinitionChange =
  | ChangeOf<'added' | 'removed'>
  /** The part has another name, but similar content. */
  | (ChangeOf<'renamed'> & { readonly from: string; readonly to: string })
  /** The part has another position among its siblings, counted from 1. */
  | (ChangeOf<'moved'> & { readonly from: number; readonly to: number })
  /** A field has another value. `from` or `to` is absent when the field does not exist there. */
  | (ChangeOf<'changed'> & { readonly field: string; readonly from?: Json; readonly to?: Json });

/** The place of the part at a path in the definition as authored. */
export function placeIn(source: Source, path: Path): PartPlace {
  const { line, column } = source.locate(path).start;
  return { path, line, column };
}
