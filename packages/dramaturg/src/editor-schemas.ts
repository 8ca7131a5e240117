import type { AnyFormat } from '@dramaturg/compiler';
import type { EditorSchema } from '@dramaturg/compiler/format';
import { formats } from './known-formats.ts';

export interface NamedSchema {
  readonly name: string;
  readonly schema: EditorSchema;
  /** The files that editors check with it; none for a dialect, which a definition names itself. */
  readonly fileMatch: readonly string[];
}

/** The schemas of all formats. The file of each is `dramaturg/schemas/<name>.schema.json`. */
export const editorSchemas: readonly NamedSchema[] = formats.flatMap(
  ({ schemas = [], suffixes }: AnyFormat) =>
    schemas.map((schema, index) => ({
      name: schema.name,
      schema,
      fileMatch: index === 0 ? suffixes.map((suffix) => `*${suffix}`) : [],
    })),
);
