import { isRecord, type Json, type Path, type Source } from '@dramaturg/compiler';
import { type FoundPlace, hasPlaceholder, replacePlaceholders } from '@dramaturg/compiler/format';
import {
  computedPlace,
  type DefinitionField,
  placeElsewhere,
  placeOf,
  placeOfText,
} from './definition.ts';
import { type Template, textOf } from './functions.ts';
import { hclJson, type HclNames, noNames } from './hcl-json.ts';
import { type HclToken, hclTokens, templateEnd, templateText } from './hcl-template.ts';

const stateMachineType = 'aws_sfn_state_machine';

/**
 * The definitions in Terraform's JSON: `.tf.json`, or the output of `terraform show -json`.
 *
 * @returns undefined when this is neither
 */
export function terraformPlaces(
  file: Source,
  values: Template['values'],
): readonly FoundPlace[] | undefined {
  const { value } = file;
  if (!isRecord(value)) return undefined;
  const template: Template = { value: {}, values };
  const add = (name: string, path: Path, fields: unknown): FoundPlace => {
    const isExpress = isRecord(fields) && fields['type'] === 'EXPRESS';
    return placeOf({ file, path: [...path, 'definition'], name, isExpress, template });
  };
  const found = [...writtenMachines(value, add)];
  // A plan has planned values, and a state has current values.
  for (const root of [['planned_values'], ['values']]) {
    const part = value[root[0]!];
    if (isRecord(part) && isRecord(part['root_module']))
      found.push(...machinesInModule(part['root_module'], [...root, 'root_module'], add));
  }
  return found.length > 0 ? found : undefined;
}

type Add = (name: string, path: Path, fields: unknown) => FoundPlace;

/** A resource is an object, or a list with one object. */
function writtenMachines(value: Readonly<Record<string, unknown>>, add: Add): FoundPlace[] {
  const blocks = Array.isArray(value['resource'])
    ? value['resource'].map((block: unknown, index) => ({ block, path: ['resource', index] }))
    : [{ block: value['resource'], path: ['resource'] }];
  return blocks.flatMap(({ block, path }) => {
    const machines = isRecord(block) ? block[stateMachineType] : undefined;
    if (!isRecord(machines)) return [];
    return Object.entries(machines).map(([name, fields]) => {
      const at = [...path, stateMachineType, name];
      return Array.isArray(fields) ? add(name, [...at, 0], fields[0]) : add(name, at, fields);
    });
  });
}

/** Modules are nested at most as deep as a file may be. */
function machinesInModule(
  module: Readonly<Record<string, unknown>>,
  path: Path,
  add: Add,
): FoundPlace[] {
  const { resources, child_modules: children } = module;
  const own = (Array.isArray(resources) ? resources : []).flatMap((resource: unknown, index) =>
    isRecord(resource) && resource['type'] === stateMachineType && resource['mode'] !== 'data'
      ? [
          add(
            String(resource['address'] ?? resource['name']),
            [...path, 'resources', index, 'values'],
            resource['values'],
          ),
        ]
      : [],
  );
  const inner = (Array.isArray(children) ? children : []).flatMap((child: unknown, index) =>
    isRecord(child) ? machinesInModule(child, [...path, 'child_modules', index], add) : [],
  );
  return [...own, ...inner];
}

/** The definitions in a file of Terraform: strings and `jsonencode` are read, other expressions are named. */
export function hclPlaces(file: Source, values: Template['values']): readonly FoundPlace[] {
  const tokens = [...hclTokens(file.text)];
  const machines: (readonly [name: string, fields: Fields['fields']])[] = [];
  const modules: typeof machines = [];
  const locals = new Map<string, readonly HclToken[]>();
  const substitutions: Record<string, Json> = {};
  let index = 0;
  while (index < tokens.length) {
    const block = blockAt(file.text, tokens, index);
    if (!block) {
      index += 1;
      continue;
    }
    const { fields, end } = fieldsFrom(file.text, tokens, block.start);
    if (block.kind === 'machine') machines.push([block.name, fields]);
    if (block.kind === 'module') modules.push([block.name, fields]);
    if (block.kind === 'locals') for (const [name, value] of fields) locals.set(name, value);
    const constant =
      block.kind === 'variable'
        ? valueOf(file.text, fields.get('default') ?? [], noNames)
        : undefined;
    if (constant !== undefined) substitutions[`var.${block.name}`] = constant;
    index = end;
  }
  const budget = { left: largestResult };
  const known = (): HclNames => ({
    locals,
    values: { ...substitutions, ...values },
    variables: {},
    open: new Set(),
    budget,
  });
  // A local value may depend on others.
  for (let [pass, found] = [0, true]; found && pass < deepestLocal; pass += 1) {
    found = false;
    for (const [name, local] of locals) {
      if (Object.hasOwn(substitutions, `local.${name}`)) continue;
      const names = known();
      const value = filledWith(valueOf(file.text, local, names), names.values);
      if (value === undefined || hasPlaceholder(JSON.stringify(value))) continue;
      substitutions[`local.${name}`] = value;
      found = true;
    }
  }
  const names = known();
  const template = { value: {}, values };
  machines.push(...modules.filter(([, fields]) => hasWorkflow(file.text, fields, locals)));
  return machines.flatMap(([name, fields]) =>
    machinePlace({ file, name, template, substitutions, names }, fields, locals),
  );
}

type Block =
  | {
      readonly kind: 'machine' | 'module' | 'variable';
      readonly name: string;
      readonly start: number;
    }
  | { readonly kind: 'locals'; readonly name: ''; readonly start: number };

/** The block that begins at a token, if it is one that definitions need. */
function blockAt(text: string, tokens: readonly HclToken[], index: number): Block | undefined {
  const [word, second = '', third = '', fourth] = tokens
    .slice(index, index + 4)
    .map(({ start, end }) => text.slice(start, end));
  const nameIn = (label: string) => (label.startsWith('"') ? label.slice(1, -1) : undefined);
  if (word === 'locals' && second === '{') return { kind: 'locals', name: '', start: index + 2 };
  if ((word === 'variable' || word === 'module') && third === '{') {
    const name = nameIn(second);
    return name === undefined ? undefined : { kind: word, name, start: index + 3 };
  }
  const isMachine =
    word === 'resource' && stateMachineTypes.includes(nameIn(second) ?? '') && fourth === '{';
  const name = isMachine ? nameIn(third) : undefined;
  return name === undefined ? undefined : { kind: 'machine', name, start: index + 4 };
}

/** Resources of the providers `aws` and `awscc`. */
const stateMachineTypes = [stateMachineType, 'awscc_stepfunctions_state_machine'];

/** Whether a module makes a workflow: its source says so, or its definition has a first state. */
function hasWorkflow(
  text: string,
  fields: Fields['fields'],
  locals: ReadonlyMap<string, readonly HclToken[]>,
): boolean {
  const written = (tokens: readonly HclToken[] = []) =>
    tokens.map(({ start, end }) => text.slice(start, end)).join(' ');
  const definition = written(fields.get('definition'));
  const local = written(locals.get(definition.replace(/^local\./, '')));
  return (
    definition !== '' &&
    (/step-?functions|state-?machine|\bsfn\b/i.test(written(fields.get('source'))) ||
      /StartAt|\.asl\b/.test(`${definition}${local}`))
  );
}

/** How many locals may depend on each other in turn. */
const deepestLocal = 10;

/** The most fields and items that loops and `merge` of a file may give. */
const largestResult = 50_000;

/** The value of an expression, with placeholders for unknown parts; undefined for text that is not HCL. */
function valueOf(text: string, tokens: readonly HclToken[], names: HclNames): Json | undefined {
  try {
    return JSON.parse(hclJson(text, tokens, names).text) as Json;
  } catch {
    return undefined;
  }
}

/** Puts the values of names into the strings of a value. */
function filledWith(value: Json | undefined, names: HclNames['values']): Json | undefined {
  if (typeof value === 'string') {
    const whole = /^\$\{([^{}]+)\}$/.exec(value)?.[1];
    if (whole !== undefined && Object.hasOwn(names, whole)) return names[whole];
    return replacePlaceholders(value, (name) =>
      Object.hasOwn(names, name) ? textOf(names[name]) : undefined,
    );
  }
  if (Array.isArray(value)) return value.map((item: Json) => filledWith(item, names)!);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).map(([key, item]) => [key, filledWith(item, names)]);
  return Object.fromEntries(fields) as Json;
}

interface Fields {
  readonly fields: ReadonlyMap<string, readonly HclToken[]>;
  /** The index of the bracket that closes the block, or after the last token. */
  readonly end: number;
}

const partners: Readonly<Record<string, string>> = { '}': '{', ']': '[', ')': '(' };

/** The values of the fields of a block: the words after each `=`. A value ends with its line, outside of brackets. */
function fieldsFrom(text: string, tokens: readonly HclToken[], start: number): Fields {
  const written = ({ start: from, end }: HclToken) => text.slice(from, end);
  const fields = new Map<string, HclToken[]>();
  let current: HclToken[] | undefined;
  const open: string[] = [];
  let index = start;
  for (; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    const sign = token.kind === 'sign' ? written(token) : '';
    const opening = partners[sign];
    if (opening !== undefined) {
      const at = open.lastIndexOf(opening);
      if (at === -1) break;
      // Brackets inside that are not closed end here, too.
      open.length = at;
    }
    const next = tokens[index + 1];
    const isOutside = open.length === 0 && opening === undefined;
    if (isOutside && /\n/.test(text.slice(tokens[index - 1]!.end, token.start)))
      current = current?.length === 0 ? current : undefined;
    if (isOutside && token.kind === 'word' && next && written(next) === '=') {
      fields.set(written(token), (current = []));
      index += 1;
      continue;
    }
    current?.push(token);
    if (sign !== '' && '{[('.includes(sign)) open.push(sign);
  }
  return { fields, end: index };
}

type Machine = Pick<DefinitionField, 'file' | 'name' | 'template'> & {
  readonly substitutions: Readonly<Record<string, Json>>;
  readonly names: HclNames;
};

function machinePlace(
  machine: Machine,
  fields: Fields['fields'],
  locals: ReadonlyMap<string, readonly HclToken[]>,
): FoundPlace[] {
  const { text } = machine.file;
  const written = (token: HclToken | undefined) =>
    token === undefined ? '' : text.slice(token.start, token.end);
  const definition = withoutLocal(
    fields.get('definition') ?? fields.get('definition_string') ?? [],
  );
  const [first, second, ...more] = definition;
  if (!first) return [];
  const again = (tokens: readonly HclToken[]) =>
    machinePlace(machine, new Map([...fields, ['definition', tokens]]), locals);
  const type = fields.get('type') ?? fields.get('state_machine_type');
  const isExpress = /^"EXPRESS"$/i.test(written(type?.[0]));
  const field = { ...machine, isExpress };
  if (second === undefined && (first.kind === 'text' || first.kind === 'heredoc')) {
    const expression = expressionIn(text, first);
    if (expression) return again(expression);
    if (hasDirective(written(first)))
      return [computedPlace(field, 'a text with loops or conditions')];
    return [placeOfText(field, templateText(text, first))];
  }
  const call = written(first);
  const inner = withoutLocal(written(more.at(-1)) === ')' ? more.slice(0, -1) : more);
  // A file in YAML or JSON.
  if (call === 'jsonencode' && /^(?:yaml|json)decode$/.test(written(inner[0])))
    return again(inner.slice(2, -1));
  if (call === 'jsonencode' || call === '{') {
    const json = hclJson(text, call === '{' ? definition : inner, machine.names);
    if (json.text.startsWith('{')) return [placeOfText(field, json)];
  }
  const [path, comma] = more;
  const isFile = (call === 'file' || call === 'templatefile') && path?.kind === 'text';
  if (!isFile) return [computedPlace(field, second === undefined ? call : `${call}(…)`)];
  const location = written(path)
    .slice(1, -1)
    .replace(/^\$\{path\.(?:module|root)\}\//, '');
  const substitutions =
    call === 'templatefile' && written(comma) === ','
      ? { ...field.substitutions, ...fieldsIn(valueOf(text, more.slice(2, -1), machine.names)) }
      : field.substitutions;
  const place = placeElsewhere({ ...field, substitutions }, location);
  if (call === 'file') return [place];
  return [{ ...place, elsewhere: { ...place.elsewhere!, isComputed: hasDirective } }];

  /** Replaces a local name that the file itself defines by its value. */
  function withoutLocal(tokens: readonly HclToken[]): readonly HclToken[] {
    const name = tokens.length === 1 ? written(tokens[0]) : '';
    return (name.startsWith('local.') && locals.get(name.slice('local.'.length))) || tokens;
  }
}

/** The words of the one expression that a string consists of: `"${jsonencode({ … })}"`. */
function expressionIn(text: string, { start, end }: HclToken): readonly HclToken[] | undefined {
  const before = /^"?\s*\$\{~?(?=\s*(?:jsonencode|file|templatefile|local\.))/.exec(
    text.slice(start, end),
  );
  if (!before) return undefined;
  const from = start + before[0].length;
  const close = templateEnd(text, from, 'expression');
  if (/[^\s"]/.test(text.slice(close, end))) return undefined;
  const words = [...hclTokens(text.slice(0, close - 1), from)];
  return words.filter(({ end: last }) => text[last - 1] !== '~');
}

/** Whether a template has loops or conditions, which only Terraform evaluates. */
function hasDirective(text: string): boolean {
  return /%\{~?\s*(?:for|if)\s/.test(text);
}

function fieldsIn(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
