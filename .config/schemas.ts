/**
 * Writes packages/dramaturg/schemas: the JSON Schema of each format, made of the shape that `check` uses, and a catalog of them. Needs built
 * packages. With `--check` it writes nothing and fails when a file is out of date.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonSchemaOf } from '../packages/compiler/dist/entries/shapes.js';
import { editorSchemas } from '../packages/dramaturg/dist/cli/commands/schema.js';

const folder = join(import.meta.dirname, '../packages/dramaturg/schemas');

// Without line breaks, the files have a third of the size.
const files = new Map<string, string>(
  editorSchemas.map(({ name, schema }) => [
    `${name}.schema.json`,
    `${JSON.stringify(jsonSchemaOf(schema))}\n`,
  ]),
);
/** The form of a catalog of JSON Schema Store, which editors read. */
const catalog = {
  $schema: 'https://json.schemastore.org/schema-catalog.json',
  version: 1,
  schemas: editorSchemas.map(({ name, schema: { title, description }, fileMatch }) => ({
    name: title,
    description,
    ...(fileMatch.length > 0 && { fileMatch }),
    url: `./${name}.schema.json`,
  })),
};
files.set('catalog.json', `${JSON.stringify(catalog, undefined, 2)}\n`);

mkdirSync(folder, { recursive: true });
const written = new Set(readdirSync(folder));
const outdated = [...files].filter(
  ([name, text]) => !written.has(name) || readFileSync(join(folder, name), 'utf8') !== text,
);
const superfluous = [...written].filter((name) => !files.has(name));
const names = [...outdated.map(([name]) => name), ...superfluous];

if (names.length === 0) {
  console.log('packages/dramaturg/schemas is what the shapes say.');
} else if (process.argv.includes('--check')) {
  console.error(
    `packages/dramaturg/schemas: ${names.join(', ')} out of date. Run "npm run schemas".`,
  );
  process.exitCode = 1;
} else {
  for (const [name, text] of outdated) writeFileSync(join(folder, name), text);
  for (const name of superfluous) rmSync(join(folder, name));
  console.log(`packages/dramaturg/schemas: wrote ${names.join(', ')}.`);
}
