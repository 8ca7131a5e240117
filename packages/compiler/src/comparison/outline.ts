/** How the definitions of a format are divided into parts that authors have names for. Used by comparisons. */
export interface Outline {
  readonly parts: readonly PartKind[];
  /** Fields that name another part, and its noun: the name of a renamed part is the same there. */
  readonly references: Readonly<Record<string, string>>;
  /** Fields that are compared as one value, such as conditions. */
  readonly whole: readonly string[];
  /** Fields of the normalised definition that say where something is written, or that follow from others. */
  readonly derived: readonly string[];
  /** The field with a part as authored. Its fields that normalising does not read are compared too. */
  readonly authored?: string;
  /** Fields with parts of another text. Their positions mean nothing in the text of the definition. */
  readonly elsewhere?: readonly string[];
}

/** A kind of part that a definition has lists of. */
export interface PartKind {
  /** The field of the list in the normalised definition. */
  readonly list: string;
  /** The author's word for a part: `task`. */
  readonly noun: string;
  /** The field that names the part among its siblings. Parts without such a field differ in what `name` returns. */
  readonly id?: string;
  /** The name of a part without an `id`: `to "urgent"`. */
  readonly name?: (part: Readonly<Record<string, unknown>>, index: number) => string;
  /** Whether the order of the parts matters: of all parts, or only of parts with the same name. */
  readonly order: 'matters' | 'matters among equal names' | 'free';
}
