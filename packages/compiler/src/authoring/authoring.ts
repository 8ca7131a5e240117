import type { Path } from '../json.ts';

/**
 * How editors support a format beyond its JSON Schema: parts that declare names, places where names are used, and the section of
 * the specification for each field. Values may be half typed.
 */
export interface Authoring {
  readonly declarations: readonly Declaration[];
  readonly references: readonly NameReference[];
  /** Words of expressions, such as paths into the data. */
  readonly words?: (value: TypedValue) => readonly Word[];
  /** Sections of the pages of the format, by field: `{ tasks: 'plan.md#tasks' }`. The key `''` is for all other fields. */
  readonly sections: Readonly<Record<string, string>>;
}

/** A path in which `*` is any key, `#` any index, and `**` at the beginning any number of steps. */
export type PathPattern = Path;

/** Parts with a name. */
export interface Declaration {
  /** The author's word for such a part: `state`. */
  readonly noun: string;
  readonly at: PathPattern;
  /** The fields that may hold the name. Without any, the name is the part itself if it is a string, else its key. */
  readonly name?: readonly string[];
  /** The fields that say what kind of part it is; the first one that is there counts. */
  readonly kind?: readonly string[];
  /** The fields with a title or description. */
  readonly title?: readonly string[];
  /** The name is known only within the object that has the list of parts, such as the states of one branch. */
  readonly isLocal?: true;
}

/** A place where a name is written. */
export interface NameReference {
  readonly noun: string;
  readonly at: PathPattern;
  /** The key is the name, not the value. */
  readonly part?: 'key';
  /** Words allowed in place of a name, and their meanings. */
  readonly words?: Readonly<Record<string, string>>;
}

/** A value that is being typed. */
export interface TypedValue {
  readonly path: Path;
  /** The text of the value before the cursor. */
  readonly typed: string;
  /** The whole definition. */
  readonly definition: unknown;
}

export interface Word {
  readonly word: string;
  readonly meaning: string;
  /** Where in the typed text the word begins, when it is only a part of the value. */
  readonly from?: number;
}
