import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { asRecord, optionalString } from './fields.ts';

/** Fills a template with the parameters of the state that includes it. Spec: Agent 10 §Templates */

/** The value of a parameter: known now, or only when the state is entered. */
type Parameter = { readonly value: Json } | { readonly isDynamic: true };

interface Filled {
  readonly value: Json;
  /** Sentences about holes that cannot be filled. */
  readonly problems: readonly string[];
}

/** `{{channel}}`, `{{depth | default: 'standard'}}`, `{{name | upper}}` */
const hole = /\{\{\s*([A-Za-z_][\w-]*)\s*((?:\|[^{}|]*)*)\}\}/g;

/**
 * A template with its holes filled. A hole that is a whole string takes the parameter's own type. A parameter that is
 * known only when the state is entered becomes a variable of its name: the hole must be in a field that can be computed,
 * such as one of `Parameters`, or `Prompt`.
 */
export function fill(template: Json, parameters: ReadonlyMap<string, Parameter>): Filled {
  const problems = new Set<string>();
  const text = (written: string): Json => {
    const parts = [...written.matchAll(hole)];
    const [only] = parts;
    if (!only) return written;
    if (parts.length === 1 && only[0] === written) return valueOf(only) ?? written;
    return written.replace(hole, (...match) => {
      const value = valueOf(match);
      return typeof value === 'string' ? value : JSON.stringify(value ?? null);
    });
  };
  const valueOf = ([whole, name, filters]: RegExpExecArray | RegExpMatchArray):
    | Json
    | undefined => {
    const parameter = parameters.get(name!);
    if (parameter && 'isDynamic' in parameter) {
      problems.add(
        `"${whole}" is known only when the state is entered, and has to be in a field such as one of "Parameters".`,
      );
      return undefined;
    }
    let value = parameter?.value;
    for (const filter of filters!.split('|').slice(1)) {
      const [called = '', ...rest] = filter.split(':');
      const apply = Object.hasOwn(filtersByName, called.trim())
        ? filtersByName[called.trim()]
        : undefined;
      if (apply) value = apply(value, argumentOf(rest.join(':')));
      else problems.add(`There is no filter "${called.trim()}", as in "${whole}".`);
    }
    if (value === undefined) problems.add(`There is no parameter "${name}", as in "${whole}".`);
    return value;
  };
  const part = (value: Json, depth: number, isPrompt: boolean): Json => {
    if (typeof value === 'string') return text(isPrompt ? withVariables(value, parameters) : value);
    if (typeof value !== 'object' || value === null || depth > deepest) return value;
    if (Array.isArray(value)) return value.map((item: Json) => part(item, depth + 1, isPrompt));
    const { Type: type } = value as JsonObject;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]): [string, Json] => {
        const isComputable = typeof type !== 'string' || !fixedFields.has(key);
        const dynamic = isComputable ? dynamicIn(item, parameters) : undefined;
        if (dynamic !== undefined) return [computed(key), `$${dynamic}`];
        const isAsked = isPrompt || (key === 'Prompt' && type === 'Approval');
        const isText = typeof item === 'string' && !key.endsWith('.$') && !isAsked;
        if (isText && isComputable && isComposed(item, parameters))
          return [computed(key), formatOf(item, parameters, text)];
        const filled = part(item, depth + 1, isAsked);
        return key === 'Variable' && filled !== item && !isQuery(filled)
          ? [computed(key), literalCall(filled)]
          : [key, filled];
      }),
    );
  };
  return { value: part(template, 0, false), problems: [...problems] };
}

const deepest = 100;

/** Fields of states that decide what runs, so that no path can give them. */
const fixedFields: ReadonlySet<string> = new Set([
  'Agent',
  'Resource',
  'WorkflowId',
  'Template',
  'Next',
  'Default',
]);

/** The name of a parameter that is a whole string and not known yet. */
function dynamicIn(item: Json, parameters: ReadonlyMap<string, Parameter>): string | undefined {
  if (typeof item !== 'string') return undefined;
  const [only, other] = item.matchAll(hole);
  if (!only || other || only[0] !== item) return undefined;
  const parameter = parameters.get(only[1]!);
  return parameter && 'isDynamic' in parameter ? only[1] : undefined;
}

/** The name of the field whose value is computed. */
function computed(key: string): string {
  return key.endsWith('.$') ? key : `${key}.$`;
}

/** Whether a string has holes with values that are not known yet, and these holes have no filters. */
function isComposed(text: string, parameters: ReadonlyMap<string, Parameter>): boolean {
  const dynamic = [...text.matchAll(hole)].filter(([, name]) => isLate(name!, parameters));
  return dynamic.length > 0 && dynamic.every(([, , filters]) => filters!.trim() === '');
}

function isLate(name: string, parameters: ReadonlyMap<string, Parameter>): boolean {
  const parameter = parameters.get(name);
  return parameter !== undefined && 'isDynamic' in parameter;
}

/** A prompt reads variables in placeholders of its own: `To {{recipient}}` is `To {{$recipient}}`. */
function withVariables(text: string, parameters: ReadonlyMap<string, Parameter>): string {
  return text.replace(hole, (whole, name: string, filters: string) =>
    isLate(name, parameters) && filters.trim() === '' ? `{{$${name}}}` : whole,
  );
}

/** The call that composes a string when the state is entered: `To {{recipient}}` is `States.Format('To {}', $recipient)`. */
function formatOf(
  written: string,
  parameters: ReadonlyMap<string, Parameter>,
  fillText: (text: string) => Json,
): string {
  const names: string[] = [];
  let text = '';
  let from = 0;
  const add = (rest: string) => {
    const filled = fillText(rest);
    text += inQuotes(typeof filled === 'string' ? filled : JSON.stringify(filled));
  };
  for (const match of written.matchAll(hole)) {
    if (!isLate(match[1]!, parameters)) continue;
    add(written.slice(from, match.index));
    text += '{}';
    names.push(`$${match[1]}`);
    from = match.index + match[0].length;
  }
  add(written.slice(from));
  return `States.Format('${text}', ${names.join(', ')})`;
}

/** Escapes a string for the quotes of a call. */
function inQuotes(text: string): string {
  return text.replace(/['\\{}]/g, '\\$&');
}

function isQuery(value: Json): boolean {
  return typeof value === 'string' && (value.startsWith('$') || value.startsWith('States.'));
}

/** The call that gives a literal value. A Choice compares it like the value at a path. */
function literalCall(value: Json): string {
  return `States.StringToJson('${inQuotes(JSON.stringify(value))}')`;
}

const filtersByName: Readonly<
  Record<string, (value: Json | undefined, argument: Json) => Json | undefined>
> = {
  default: (value, argument) => (value === undefined || value === null ? argument : value),
  upper: (value) => (typeof value === 'string' ? value.toUpperCase() : value),
  lower: (value) => (typeof value === 'string' ? value.toLowerCase() : value),
  trim: (value) => (typeof value === 'string' ? value.trim() : value),
  json: (value) => (value === undefined ? value : JSON.stringify(value)),
};

/** `'standard'`, `"x"`, `3`, or a bare word. */
function argumentOf(written: string): Json {
  const text = written.trim();
  const quoted = /^'([^']*)'$|^"([^"]*)"$/.exec(text);
  if (quoted) return quoted[1] ?? quoted[2]!;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/**
 * The values that an Include gives to the parameters of a template, and the mistakes in them.
 *
 * @param declared `Parameters` of the template
 * @param given `Parameters` of the Include
 */
export function parametersOf(
  declared: JsonObject,
  given: JsonObject,
): { readonly parameters: ReadonlyMap<string, Parameter>; readonly problems: readonly string[] } {
  const parameters = new Map<string, Parameter>();
  const problems: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    const isDynamic = key.endsWith('.$');
    const name = isDynamic ? key.slice(0, -2) : key;
    if (!Object.hasOwn(declared, name)) {
      const known = Object.keys(declared).join(', ') || 'none';
      problems.push(`It has no parameter "${name}". It has these: ${known}.`);
    } else parameters.set(name, isDynamic ? { isDynamic } : { value });
  }
  for (const [name, declaration] of Object.entries(declared)) {
    const terms = asRecord(declaration);
    const parameter = parameters.get(name);
    if (!parameter) {
      if (Object.hasOwn(terms, 'Default'))
        parameters.set(name, { value: terms['Default'] as Json });
      else if (terms['Required'] === true) problems.push(`The parameter "${name}" is missing.`);
    } else if ('value' in parameter) {
      const because = misfit(parameter.value, terms);
      if (because) problems.push(`The parameter "${name}" ${because}.`);
    }
  }
  return { parameters, problems };
}

/** Why a value does not fit the declaration of a parameter. */
function misfit(value: Json, terms: Readonly<Record<string, unknown>>): string | undefined {
  const type = optionalString(terms['Type']);
  if (
    type !== undefined &&
    typeOf(value) !== type &&
    !(type === 'number' && typeOf(value) === 'integer')
  )
    return `is not of the type ${type}`;
  const { Enum: values, Min: least, Max: most } = terms;
  const isListed = (one: unknown) => JSON.stringify(one) === JSON.stringify(value);
  if (Array.isArray(values) && !values.some(isListed))
    return `is none of ${values.map((one) => JSON.stringify(one)).join(', ')}`;
  if (typeof least === 'number' && typeof value === 'number' && value < least)
    return `is less than ${least}`;
  if (typeof most === 'number' && typeof value === 'number' && value > most)
    return `is more than ${most}`;
  return undefined;
}

function typeOf(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (isRecord(value)) return 'object';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}
