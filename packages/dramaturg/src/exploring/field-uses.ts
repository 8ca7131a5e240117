import { isRecord } from '@dramaturg/compiler';

/** A path of data in a text: names between lists. `$.orders[0].price` is `orders`, a list, and then `price`. */
export interface ReadPath {
  /** The names up to each list, and those after the last one. */
  readonly parts: readonly (readonly string[])[];
  /** The lists, with the number of items that an index asks for. */
  readonly lists: readonly { readonly name: string; readonly items: number }[];
}

/** The longest list that is made for an index. */
const itemsMax = 8;

/**
 * The paths of data that a text of a workflow reads, in either query language. Paths in its context count only for data: the
 * input of the execution, and the item of a Map.
 */
export function pathsIn(text: string): readonly ReadPath[] {
  const isExpression = text.startsWith('{%');
  const found: ReadPath[] = [];
  for (const [, variable = '', path = ''] of text.matchAll(isExpression ? expression : jsonPath)) {
    const own = ownPath(variable, path);
    if (own !== undefined) found.push(readPath(own));
    // The fields of the items that a filter reads.
    for (const [, inner] of path.matchAll(/@((?:\.[\w-]+)+)/g)) found.push(readPath(inner!));
  }
  return found;
}

/** The path in a text that consists of one path; else undefined. */
export function wholePath(text: string): ReadPath | undefined {
  const inner = /^\{%(.*)%\}$/s.exec(text)?.[1]?.trim() ?? text;
  const [, variable = '', path = ''] = /^\$(\$|\w*)((?:\.[\w-]+|\[[^\][]*\])+)$/.exec(inner) ?? [];
  const own = path === '' ? undefined : ownPath(variable, path);
  return own === undefined ? undefined : readPath(own);
}

/** `$.a.b[0]`, `$name.a` of variables, `@.a` of filters, and `$$.Execution.Input.a` of the context. */
const jsonPath =
  /[$@](\$|\w*)((?:\.{1,2}[\w-]+|\[(?:['"][^'"\]]*['"]|[^\][()]*|\?\([^)\]]*\))\])+)/g;
/** Paths in JSONata, where a hyphen subtracts. */
const expression = /\$(\$|\w*)((?:\.\w+|\.`[^`]*`|\[[^\][]*\])+)/g;

/** The data in the context: the input of the execution, and the item of a Map. */
const contextData = /^\.(?:context\.)?(?:Execution\.Input|Map\.Item\.Value)/;

function ownPath(variable: string, path: string): string | undefined {
  const isContext = variable === '$' || (variable === 'states' && path.startsWith('.context'));
  if (isContext) return contextData.test(path) ? path.replace(contextData, '') : undefined;
  return variable === 'states' ? path.replace(/^\.(?:input|result|errorOutput)/, '') : path;
}

function readPath(text: string): ReadPath {
  const parts: string[][] = [[]];
  const lists: { name: string; items: number }[] = [];
  for (const [, name, quoted, inside] of text.matchAll(
    /\.{1,2}`?([\w-]+)`?|\[['"]([^'"]+)['"]\]|\[(.*?)\]/g,
  )) {
    const next = name ?? quoted;
    if (next !== undefined) parts.at(-1)!.push(next);
    else if (inside !== undefined) {
      const list = parts.at(-1)!.at(-1);
      const items = Math.min(Math.max(2, Number.parseInt(inside, 10) + 1 || 2), itemsMax);
      if (list !== undefined) lists.push({ name: list, items });
      parts.push([]);
    }
  }
  return { parts: parts.filter((each) => each.length > 0), lists };
}

/**
 * How a definition uses a field, which decides the data that fit it: as a list with items, for a calculation, as a string that is
 * split, as a string with JSON or a time, or as whole data.
 */
export type FieldUse =
  | { readonly kind: 'list'; readonly items: number }
  | { readonly kind: 'number' }
  | { readonly kind: 'split'; readonly separator: string }
  | { readonly kind: 'json' }
  | { readonly kind: 'base64' }
  | { readonly kind: 'time' }
  | { readonly kind: 'whole' };

export type NamedUse = readonly [field: string, use: FieldUse];

/** The uses of fields in the intrinsic functions and expressions of a text. */
export function usesInText(text: string): readonly NamedUse[] {
  const uses: NamedUse[] = pathsIn(text).flatMap(({ lists }) =>
    lists.map(({ name, items }): NamedUse => [name, { kind: 'list', items }]),
  );
  if (text.startsWith('{%'))
    for (const [, operand] of text.matchAll(arithmetic)) {
      const field = lastName(pathsIn(`{%${operand!}`)[0]);
      if (field !== undefined) uses.push([field, { kind: 'number' }]);
    }
  // The innermost calls first: each is replaced, so that the call around it has plain arguments.
  let rest = text;
  for (let depth = 0; depth < callsDeepMax && call.test(rest); depth += 1)
    rest = rest.replaceAll(call, (_whole, name: string, given: string) => {
      const args = given.split(',').map((each) => each.trim());
      for (const [index, arg] of args.entries()) {
        const use = useOf(name, index, args);
        const field = lastName(pathsIn(text.startsWith('{%') ? `{%${arg}` : arg)[0]);
        if (use && field !== undefined) uses.push([field, use]);
      }
      return ' ';
    });
  return uses;
}

/** A path that a calculation begins with. */
const arithmetic = /(\$[\w.]+(?:\[[^\][]*\]\.?[\w.]*)*)\s*[-+*/%]\s*[\d$(]/g;

/** Calls that are nested deeper are not read. */
const callsDeepMax = 8;
const call = /(?:States\.|\$)(\w+)\(([^()]*)\)/g;

/** The use of an argument of a function. */
function useOf(name: string, index: number, args: readonly string[]): FieldUse | undefined {
  if (name === 'MathAdd' || name === 'MathRandom' || name === 'ArrayRange')
    return { kind: 'number' };
  if (name === 'ArrayGetItem' || name === 'ArrayPartition')
    return index === 0 ? { kind: 'list', items: 2 } : { kind: 'number' };
  if (index > 0) return undefined;
  if (listFunctions.has(name)) return { kind: 'list', items: 2 };
  if (numberFunctions.has(name)) return { kind: 'number' };
  if (name === 'StringToJson' || name === 'parse' || name === 'eval') return { kind: 'json' };
  if (name === 'Base64Decode' || name === 'base64decode') return { kind: 'base64' };
  if (name === 'toMillis') return { kind: 'time' };
  if (name === 'JsonMerge') return { kind: 'whole' };
  if (name !== 'StringSplit' && name !== 'split') return undefined;
  const [, separator = '/'] = /^['"](.+)['"]$/s.exec(args[1] ?? '') ?? [];
  return { kind: 'split', separator };
}

const listFunctions = new Set(
  'ArrayLength ArrayContains ArrayUnique count sum max min average map filter reduce sort distinct reverse'.split(
    ' ',
  ),
);
const numberFunctions = new Set('number floor ceil round abs power sqrt fromMillis'.split(' '));

/** Fields of an object that copy another field unchanged: a use of the copy is a use of the original. */
export function copiesIn(
  part: Readonly<Record<string, unknown>>,
): readonly (readonly [copy: string, original: string])[] {
  return Object.entries(part).flatMap(([key, value]) => {
    if (typeof value !== 'string' || Object.hasOwn(stateUses, key)) return [];
    if (!key.endsWith('.$') && !value.startsWith('{%')) return [];
    const original = lastName(wholePath(value));
    const copy = key.replace(/\.\$$/, '');
    return original === undefined || original === copy ? [] : [[copy, original] as const];
  });
}

/** The uses of fields by those fields of a state that take whole data, or a time. */
export function usesInState(state: Readonly<Record<string, unknown>>): readonly NamedUse[] {
  const uses: NamedUse[] = [];
  for (const [key, given] of Object.entries(state)) {
    const use = stateUses[key];
    const field = typeof given === 'string' ? lastName(wholePath(given)) : undefined;
    if (use && field !== undefined) uses.push([field, use]);
  }
  if (state['Type'] === undefined) return uses;
  const { Type: type, InputPath: input, ItemsPath: items = state['Items'] ?? '$' } = state;
  // The whole input of the Map is its list.
  const list = typeof input === 'string' ? lastName(wholePath(input)) : undefined;
  if (type === 'Map' && items === '$' && !state['ItemReader'] && list !== undefined)
    uses.push([list, { kind: 'list', items: 2 }]);
  const isTask = state['Agent'] !== undefined || state['Resource'] !== undefined;
  const { ResultSelector: selector, Assign: assign, Output: output } = state;
  // Fields that only an agent receives are not read again.
  const passed = isTask ? [] : [state['Parameters'], state['Arguments']];
  const pending: unknown[] = [selector, assign, output, ...passed];
  for (const part of pending) {
    const field = typeof part === 'string' ? lastName(wholePath(part)) : undefined;
    if (field !== undefined) uses.push([field, { kind: 'whole' }]);
    if (Array.isArray(part)) pending.push(...(part as unknown[]));
    else if (isRecord(part)) pending.push(...Object.values(part));
  }
  return uses;
}

const number: FieldUse = { kind: 'number' };
const whole: FieldUse = { kind: 'whole' };

const stateUses: Readonly<Record<string, FieldUse>> = {
  OutputPath: whole,
  InputPath: whole,
  ItemsPath: { kind: 'list', items: 2 },
  Items: { kind: 'list', items: 2 },
  Seconds: number,
  SecondsPath: number,
  TimeoutSeconds: number,
  TimeoutSecondsPath: number,
  HeartbeatSeconds: number,
  HeartbeatSecondsPath: number,
  MaxConcurrency: number,
  MaxConcurrencyPath: number,
  Timestamp: { kind: 'time' },
  TimestampPath: { kind: 'time' },
};

/** The field at the end of a path; undefined when the path ends at an item of a list. */
function lastName(path: ReadPath | undefined): string | undefined {
  return path?.parts.at(-1)?.at(-1);
}
