import { isRecord, type JsonObject } from '@dramaturg/compiler';
import type { DataTypes } from '@dramaturg/compiler/format';

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
