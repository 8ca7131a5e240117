import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { isRecord, type JsonObject } from '@dramaturg/compiler';
import type { DataTypes } from '@dramaturg/compiler/format';
import { visible } from '@dramaturg/compiler/text';
import { check } from '../../compile.ts';
import { formatNamed, formats } from '../../known-formats.ts';
import { type Command, command } from '../command.ts';
import { requireNoErrors } from '../definition-file.ts';
import {
  type DefinitionOptions,
  requireOptions,
  withDefinitionOptions,
} from '../definition-options.ts';
import { readParts, splitName } from '../definition-parts.ts';
import { findFiles, requireWritable, standardInput } from '../files.ts';
import { jsonLine, printProblems, visibleText } from '../output.ts';
import { UsageError } from '../usage-error.ts';

interface TypesOptions extends DefinitionOptions {
  readonly output?: string;
  readonly json?: true;
}

export function typesCommand(): Command {
  return withDefinitionOptions(command('types'))
    .json('print the types as { types }, and with -o the name of the { file }')
    .description(
      'Writes TypeScript types of what definitions collect, receive and give: deliverables, forms, inputs, outputs, and the names of states, events and agents. The name of a file begins the names of its types: intake.plan.json has IntakeInput and IntakeDeliverables.',
    )
    .argument('<files...>', 'files or patterns; "-" is standard input')
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .examples(
      'dramaturg types intake.plan.json',
      'dramaturg types "flows/**/*.{plan,asl}.{json,yaml}" -o src/flows.d.ts',
    )
    .action(async (files: string[], options: TypesOptions) => {
      await writeTypes(files, options);
    });
}

const header =
  '// Written by "dramaturg types". Do not edit: write it again after a change of the definitions.\n';

async function writeTypes(
  namesAndPatterns: readonly string[],
  options: TypesOptions,
): Promise<void> {
  const fileOfPrefix = new Map<string, string>();
  const texts: string[] = [];
  for (const { file, name } of await filesAndNames(namesAndPatterns)) {
    const { parts } = await readParts(file, options);
    const wanted = parts.filter((part) => name === undefined || part.name === name);
    if (wanted.length === 0)
      throw new UsageError(
        `"${visible(file)}" has no definition${name === undefined ? '' : ` "${visible(name)}"`}.`,
        'Run "dramaturg check" on the file to see its definitions.',
      );
    for (const part of wanted) {
      if (part.text === undefined) continue;
      const checked = check(part.text, part.options);
      requireOptions(checked);
      printProblems(checked, part.file);
      requireNoErrors(checked, part.file);
      const prefix = typeName(part.name ?? part.file);
      const other = fileOfPrefix.get(prefix);
      if (other !== undefined)
        throw new UsageError(
          `The types of "${visible(other)}" and "${visible(file)}" would have the same names: ${prefix}Input.`,
          'Rename one of the files, or write their types to two files.',
        );
      fileOfPrefix.set(prefix, file);
      const types = formatNamed(checked.format)?.dataTypes?.(checked.definition) ?? {};
      texts.push(`// ${visible(part.name ?? basename(file))}\n\n${typescriptOf(types, prefix)}`);
    }
  }
  const { output } = options;
  if (output !== undefined && output !== standardInput)
    for (const file of fileOfPrefix.values()) await requireWritable(output, file);
  await write([header, ...texts].join('\n'), options);
}

async function filesAndNames(
  given: readonly string[],
): Promise<readonly { readonly file: string; readonly name?: string }[]> {
  const found = await Promise.all(
    given.map(async (one) => {
      const { file, name } = await splitName(one);
      const files = await findFiles([file]);
      return files.map((each) => (name === undefined ? { file: each } : { file: each, name }));
    }),
  );
  return found.flat();
}

async function write(types: string, { output, json }: TypesOptions): Promise<void> {
  const toFile = output !== undefined && output !== standardInput;
  if (toFile) {
    await writeFile(output, types);
    process.stderr.write(`Wrote ${visible(output)}.\n`);
  }
  const value = toFile ? { file: output } : { types };
  if (json) process.stdout.write(jsonLine(value));
  else if (!toFile) process.stdout.write(visibleText(types));
}

/** `customer-intake.plan.json` is `CustomerIntake`. */
function typeName(file: string): string {
  const name = basename(file === standardInput ? 'definition' : file);
  const suffix = formats.flatMap(({ suffixes }) => suffixes).find((one) => name.endsWith(one));
  const stem = suffix === undefined ? name.replace(/\.\w+$/, '') : name.slice(0, -suffix.length);
  const words = stem.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^\p{L}/u.test(joined) ? joined : `Definition${joined}`;
}

/**
 * Writes JSON Schemas as exported TypeScript types.
 *
 * @param prefix the beginning of each type's name: `Intake` makes `IntakeInput`
 */
export function typescriptOf(types: DataTypes, prefix: string): string {
  return Object.entries(types)
    .map(([name, schema]) => {
      const isInterface = hasFields(schema);
      const head = isInterface
        ? `export interface ${prefix}${name} `
        : `export type ${prefix}${name} = `;
      return `${comment(schema, '')}${head}${typeOf(schema, prefix, '')}${isInterface ? '' : ';'}\n`;
    })
    .join('\n');
}

/** Whether a type has fields: an interface without fields would take any value. */
function hasFields({ type, properties, additionalProperties }: JsonObject): boolean {
  if (type !== 'object' || !isRecord(properties)) return false;
  return Object.keys(properties).length > 0 || isRecord(additionalProperties);
}

const reference = '#/definitions/';

function typeOf(schema: JsonObject, prefix: string, indent: string): string {
  const { $ref, type, items, anyOf } = schema;
  const values = schema['enum'];
  if (typeof $ref === 'string') return `${prefix}${$ref.slice(reference.length)}`;
  if (Array.isArray(values)) return union(values.map((value) => JSON.stringify(value)));
  if (Array.isArray(anyOf))
    return union(anyOf.map((one) => typeOf(one as JsonObject, prefix, indent)));
  if (Array.isArray(type))
    return union(type.map((one) => typeOf({ ...schema, type: one }, prefix, indent)));
  if (type === 'array')
    return `readonly ${inBrackets(typeOf((items ?? {}) as JsonObject, prefix, indent))}[]`;
  if (type === 'object') return objectType(schema, prefix, indent);
  return (typeof type === 'string' ? simpleTypes[type] : undefined) ?? 'unknown';
}

const simpleTypes: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

function union(types: readonly string[]): string {
  return types.length === 0 ? 'never' : [...new Set(types)].join(' | ');
}

function inBrackets(type: string): string {
  return type.includes(' | ') ? `(${type})` : type;
}

function objectType(schema: JsonObject, prefix: string, indent: string): string {
  const { properties, additionalProperties, required = [] } = schema;
  if (!isRecord(properties)) {
    const value = isRecord(additionalProperties)
      ? typeOf(additionalProperties, prefix, indent)
      : 'unknown';
    return `Readonly<Record<string, ${value}>>`;
  }
  const inner = `${indent}  `;
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  const lines = Object.entries(properties as Record<string, JsonObject>).map(
    ([name, field]) =>
      `${comment(field, inner)}${inner}readonly ${keyOf(name)}${isRequired(name) ? '' : '?'}: ${typeOf(field, prefix, inner)};\n`,
  );
  if (isRecord(additionalProperties))
    lines.push(`${inner}readonly [key: string]: ${typeOf(additionalProperties, prefix, inner)};\n`);
  return lines.length === 0 ? 'Readonly<Record<string, never>>' : `{\n${lines.join('')}${indent}}`;
}

/** A name of a field as TypeScript writes it. */
function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** Text of a definition cannot end the comment. */
function comment({ description }: JsonObject, indent: string): string {
  if (typeof description !== 'string' || description.trim() === '') return '';
  const text = description.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ').trim();
  return `${indent}/** ${text} */\n`;
}
