import type { JsonObject } from './json.ts';
import type { PlaceholderValues } from './placeholders/fill.ts';
import type { Source } from './read/source.ts';

/** A definition inside a file of another kind, such as a template of CloudFormation. */
export interface Place {
  /** The name of the definition in its file. */
  readonly name: string;
  readonly format: string;
  /** Options of the format that follow from the file. */
  readonly options: JsonObject;
  /** Values that the file gives to placeholders. */
  readonly values: PlaceholderValues;
  /** The definition, with the positions of the file; undefined when it is elsewhere. */
  readonly source?: Source;
  /** Where the definition is when it is not in this file. */
  readonly elsewhere?: Elsewhere;
}

export interface Elsewhere {
  /** The location as written, in words: `"s3://bucket/key"`. */
  readonly location: string;
  /** A path from the folder of the file, when the location is one. */
  readonly file?: string;
  /** How to get it, when that is special. */
  readonly hint?: string;
  /** Whether the text of the file becomes a definition only when it is deployed. */
  readonly isComputed?: (text: string) => boolean;
}

/** How a format finds its definitions inside files of other kinds. */
export interface PlaceFinder {
  /** Suffixes of such files that are neither JSON nor YAML. Their source has a text and no value. */
  readonly suffixes: readonly string[];
  /** The definitions in a file, in order; undefined for a file that is not of these kinds. */
  readonly find: (file: Source, values: PlaceholderValues) => readonly FoundPlace[] | undefined;
}

export type FoundPlace = Omit<Place, 'format'>;
