import { isRecord, type Json, type JsonObject, type Path, type Source } from '@dramaturg/compiler';
import {
  type FoundPlace,
  hasPlaceholder,
  joinTexts,
  type LocatedText,
  locatedText,
  partOf,
  type PlaceholderValues,
  readLocatedText,
  replacePlaceholders,
  textAt,
  valueAt,
} from '@dramaturg/compiler/format';
import { functionIn, resolve, symbol, type Template, textOf } from './functions.ts';

/** The values that CloudFormation always knows, in its usual partition. */
const usual: Readonly<Record<string, Json>> = {
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** The defaults of the parameters of a template. Skips parameters of SSM: their default is the name of a value. */
function defaultsIn({ value }: Template): Record<string, Json> {
  const parameters = isRecord(value['Parameters']) ? value['Parameters'] : {};
  const defaults = Object.entries(parameters).flatMap(([name, parameter]): [string, Json][] => {
    if (!isRecord(parameter) || String(parameter['Type']).startsWith('AWS::SSM')) return [];
    const known = parameter['Default'] as Json | undefined;
    return known === undefined ? [] : [[name, known]];
  });
  return Object.fromEntries(defaults);
}

/** The values of each template, which many state machines share. */
const knownValues = new WeakMap<Template, Readonly<Record<string, Json>>>();

function knownIn(template: Template): Readonly<Record<string, Json>> {
  const made = knownValues.get(template) ?? {
    ...usual,
    ...defaultsIn(template),
    ...template.values,
  };
  knownValues.set(template, made);
  return made;
}

/** The known values of names: given values first, then substitutions, then defaults of parameters. */
function valuesIn(
  template: Template,
  substitutions: Readonly<Record<string, unknown>>,
): Readonly<Record<string, Json>> {
  const all = knownIn(template);
  const substituted = Object.entries(substitutions).flatMap(([name, written]): [string, Json][] => {
    const value = filled(resolve(written, template), all);
    return value === undefined || Object.hasOwn(template.values, name) ? [] : [[name, value]];
  });
  return substituted.length === 0 ? all : { ...all, ...Object.fromEntries(substituted) };
}

/** @returns undefined when a part of the value is not known */
function filled(value: unknown, known: Readonly<Record<string, Json>>): Json | undefined {
  if (typeof value !== 'string') return value as Json | undefined;
  const text = replacePlaceholders(value, (name) =>
    Object.hasOwn(known, name) ? textOf(known[name]) : undefined,
  );
  return hasPlaceholder(text) ? undefined : text;
}

/** A field of a file that holds a definition, or its location. */
export interface DefinitionField {
  readonly file: Source;
  readonly path: Path;
  readonly name: string;
  readonly isExpress: boolean;
  readonly template: Template;
  /** The substitutions of the file in this definition, by name, as written. */
  readonly substitutions?: unknown;
}

/** A definition that is written as an object or a string, or is elsewhere. */
export function placeOf(field: DefinitionField): FoundPlace {
  const { file, path, template } = field;
  const node = valueAt(file.value, path);
  const call = functionIn(node);
  if (call?.name === 'Fn::ToJsonString') return placeOf({ ...field, path: [...path, call.name] });
  if (typeof node === 'string' || call) {
    const values: Record<string, unknown> = {};
    const text = pieces(field, path, values);
    if (text && /^\s*\{/.test(text.text)) return placeOfText(field, text, values);
    return { ...common(field), elsewhere: elsewhere(call ? resolve(node, template) : node) };
  }
  const value = isRecord(node) ? resolve(node, template) : node;
  return { ...common(field), source: partOf(file, path, value ?? {}) };
}

/**
 * A definition that is written as a string.
 *
 * @param values values that the string itself gives to names
 */
export function placeOfText(
  field: Omit<DefinitionField, 'path'>,
  text: LocatedText,
  values: Readonly<Record<string, unknown>> = {},
): FoundPlace {
  return { ...common(field, values), source: readLocatedText(field.file, text) };
}

/** A definition in another file. */
export function placeElsewhere(
  field: Omit<DefinitionField, 'path'>,
  location: unknown,
): FoundPlace {
  return { ...common(field), elsewhere: elsewhere(resolve(location, field.template)) };
}

/** A definition that Terraform computes. */
export function computedPlace(
  field: Omit<DefinitionField, 'path'>,
  expression: string,
): FoundPlace {
  const location = `an expression of Terraform: ${expression}`;
  const hint = 'Check the output of "terraform show -json", which has the definition as text.';
  return { ...common(field), elsewhere: { location, hint } };
}

function elsewhere(location: unknown): NonNullable<FoundPlace['elsewhere']> {
  if (isRecord(location) && 'Bucket' in location && 'Key' in location)
    return { location: `"s3://${textOf(location['Bucket'])}/${textOf(location['Key'])}"` };
  const text = textOf(location);
  const called = /^\$\{file\(([^(){}]+)\)\}$/.exec(text)?.[1];
  const file = called ?? (typeof location === 'string' ? text : '');
  const isFile = /^[\w./@ +-]+\.(?:json|ya?ml|asl|tpl|tftpl|tmpl)$/i.test(file);
  return { location: typeof location === 'string' ? `"${text}"` : text, ...(isFile && { file }) };
}

function common(
  { name, isExpress, template, substitutions }: Omit<DefinitionField, 'path' | 'file'>,
  more: Readonly<Record<string, unknown>> = {},
): Pick<FoundPlace, 'name' | 'options' | 'values'> {
  const options: JsonObject = { dialect: 'amazon', ...(isExpress && { kind: 'express' }) };
  const written = { ...(isRecord(substitutions) ? substitutions : {}), ...more };
  const values: PlaceholderValues = valuesIn(template, written);
  return { name, options, values };
}

/**
 * A string that functions of CloudFormation build: each character with its place in the file.
 *
 * @param values receives the values that `Fn::Sub` gives to names
 */
function pieces(
  { file, template }: Pick<DefinitionField, 'file' | 'template'>,
  path: Path,
  values: Record<string, unknown>,
): LocatedText | undefined {
  const parts = (at: Path): LocatedText | undefined => pieces({ file, template }, at, values);
  const node = valueAt(file.value, path);
  if (typeof node === 'string') return locatedText(file, path);
  const offset = file.locate(path).start.offset;
  const call = functionIn(node);
  if (!call) return node === undefined ? undefined : textAt(textOf(node), offset);
  const { name, argument } = call;
  const at = [...path, name];
  if (name === 'Fn::Sub') {
    if (!Array.isArray(argument)) return parts(at);
    const [, given] = argument as unknown[];
    if (isRecord(given)) Object.assign(values, given);
    return parts([...at, 0]);
  }
  if (name === 'Fn::Join' && Array.isArray(argument) && Array.isArray(argument[1])) {
    const items = (argument[1] as unknown[]).map((_, index) => parts([...at, 1, index]));
    const delimiter = textOf(argument[0]);
    const joined = items.flatMap((item, index) => {
      if (!item) return [];
      return index === 0 || delimiter === ''
        ? [item]
        : [textAt(delimiter, item.offsets[0] ?? offset), item];
    });
    return joinTexts(joined);
  }
  const result = resolve(node, template);
  return textAt(result === undefined ? symbol(name) : textOf(result), offset);
}
