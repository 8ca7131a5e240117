import { isRecord, type Json } from '@dramaturg/compiler';

/** A template of CloudFormation, as far as its functions need it. */
export interface Template {
  readonly value: Readonly<Record<string, unknown>>;
  /** Values that are given for conditions and references. */
  readonly values: Readonly<Record<string, Json>>;
}

/** The function of CloudFormation that an object calls: `{ "Ref": "Table" }`. */
export function functionIn(value: unknown): { name: string; argument: unknown } | undefined {
  if (!isRecord(value)) return undefined;
  const [name, ...others] = Object.keys(value);
  if (name === undefined || others.length > 0 || !/^(?:Ref$|Fn::\w)/.test(name)) return undefined;
  return { name, argument: value[name] };
}

/**
 * Replaces functions of CloudFormation by their results. A result that is known only after the deployment becomes a
 * placeholder: `{ "Fn::GetAtt": ["Orders", "Arn"] }` is `${Orders.Arn}`.
 */
export function resolve(value: unknown, template: Template): unknown {
  const call = functionIn(value);
  if (call) return resultOf(call.name, call.argument, template);
  if (Array.isArray(value))
    return value.map((item) => resolve(item, template)).filter((item) => item !== undefined);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).map(([key, item]) => [key, resolve(item, template)]);
  return Object.fromEntries(fields.filter(([, item]) => item !== undefined));
}

/** A placeholder for a result that only the deployment knows. */
export function symbol(name: string): string {
  const allowed = name.replaceAll(/[{}"\n]|:(?= )/g, '');
  return `\${${/^[A-Za-z_]/.test(allowed) ? allowed : `_${allowed}`}}`;
}

type Call = (argument: unknown, template: Template) => unknown;

const calls: Readonly<Record<string, Call>> = {
  Ref: (name) => (name === 'AWS::NoValue' ? undefined : symbol(String(name))),
  'Fn::GetAtt': (path) => symbol(Array.isArray(path) ? path.join('.') : String(path)),
  'Fn::ImportValue': (name, template) => symbol(textOf(resolve(name, template))),
  'Fn::Sub': (text) => (Array.isArray(text) ? text[0] : text),
  'Fn::Join': joined,
  'Fn::If': alternative,
  'Fn::FindInMap': mapped,
  'Fn::Select': selected,
  'Fn::ToJsonString': (value, template) => JSON.stringify(resolve(value, template)),
};

function resultOf(name: string, argument: unknown, template: Template): unknown {
  const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
  return call ? call(argument, template) : symbol(name);
}

function joined(argument: unknown, template: Template): unknown {
  const [delimiter, items] = listOf(argument);
  const resolved = resolve(items, template);
  if (!Array.isArray(resolved)) return symbol('Fn::Join');
  return resolved.map(textOf).join(textOf(delimiter ?? ''));
}

/** The first alternative, unless a value for the condition says otherwise. */
function alternative(argument: unknown, template: Template): unknown {
  const [condition, yes, no] = listOf(argument);
  const given = Object.hasOwn(template.values, String(condition))
    ? template.values[String(condition)]
    : undefined;
  if (given !== undefined) return resolve(textOf(given) === 'false' ? no : yes, template);
  return resolve(yes, template) ?? resolve(no, template);
}

function mapped(argument: unknown, template: Template): unknown {
  const keys = listOf(argument)
    .slice(0, 3)
    .map((key) => knownText(textOf(resolve(key, template)), template));
  const found = keys.reduce<unknown>(
    (part, key) => (isRecord(part) && Object.hasOwn(part, key) ? part[key] : undefined),
    template.value['Mappings'],
  );
  return found ?? symbol(keys.join('.').replaceAll('${', ''));
}

function selected(argument: unknown, template: Template): unknown {
  const [index, items] = listOf(argument);
  const list = resolve(items, template);
  const item: unknown = Array.isArray(list) ? list[Number(index)] : undefined;
  return item ?? symbol('Fn::Select');
}

/** The known value of a string that is one reference; else the string. */
function knownText(text: string, { values }: Template): string {
  const name = /^\$\{([^}]+)\}$/.exec(text)?.[1];
  return name !== undefined && Object.hasOwn(values, name) ? textOf(values[name]) : text;
}

function listOf(argument: unknown): readonly unknown[] {
  return Array.isArray(argument) ? argument : [argument];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
