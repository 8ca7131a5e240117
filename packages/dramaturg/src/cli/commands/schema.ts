import type { AnyFormat } from '@dramaturg/compiler';
import type { EditorSchema } from '@dramaturg/compiler/format';
import { jsonSchemaOf } from '@dramaturg/compiler/shapes';
import { didYouMean } from '@dramaturg/compiler/text';
import { formats } from '../../known-formats.ts';
import { type Command, command } from '../command.ts';
import { jsonText } from '../output.ts';
import { UsageError } from '../usage-error.ts';

export function schemaCommand(): Command {
  return command('schema')
    .json('print the list as JSON; a schema is JSON anyway')
    .description(
      'Prints the JSON Schema of a format, by which an editor checks and completes while you type. Without a name, lists the schemas, their files and what they are for.',
    )
    .argument('[name]', editorSchemas.map(({ name }) => name).join(', '))
    .examples('dramaturg schema', 'dramaturg schema plan > plan.schema.json')
    .action((name: string | undefined, { json }: { readonly json?: true }) => {
      process.stdout.write(name === undefined ? list(json === true) : schemaNamed(name));
    });
}

function schemaNamed(name: string): string {
  const found = editorSchemas.find((each) => each.name === name);
  if (found) return jsonText(jsonSchemaOf(found.schema));
  const names = editorSchemas.map((each) => each.name);
  throw new UsageError(
    `There is no schema "${name}".`,
    didYouMean(name, names) ?? `The schemas are ${names.join(', ')}.`,
  );
}

function list(isJson: boolean): string {
  const schemas = editorSchemas.map(({ name, schema: { title }, fileMatch }) => ({
    name,
    title,
    file: `node_modules/dramaturg/schemas/${name}.schema.json`,
    fileMatch,
  }));
  if (isJson) return `${JSON.stringify({ schemas }, undefined, 2)}\n`;
  return schemas
    .map(({ name, title, file, fileMatch }) => {
      const files = fileMatch.length === 0 ? 'where "$schema" names it' : fileMatch.join(' ');
      return `${name.padEnd(14)} ${title}\n  ${file}\n  for ${files}\n`;
    })
    .join('');
}

interface NamedSchema {
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
