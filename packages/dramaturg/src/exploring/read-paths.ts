/** A path of data in a text: names between lists. `$.orders[0].price` is `orders`, a list, and then `price`. */
export interface ReadPath {
  /** The names up to each list, and those after the last one. */
  readonly parts: readonly (readonly string[])[];
  /** The lists, with the number of items that an index asks for. */
  readonly lists: readonly { readonly name: string; readonly items: number }[];
}

/** A longer list is not made for an index. */
const itemsMax = 8;

/**
 * The paths of data that a text of a workflow reads, in either query language. Of its context only the data are read: the input of the
 * execution, and the item of a Map.
 */
export function pathsIn(text: string): readonly ReadPath[] {
  const isExpression = text.startsWith('{%');
  const found: ReadPath[] = [];
  for (const [, variable = '', path = ''] of text.matchAll(isExpression ? expression : jsonPath)) {
    const own = ownPath(variable, path);
    if (own !== undefined) found.push(readPath(own));
    // What a filter reads of the items.
    for (const [, inner] of path.matchAll(/@((?:\.[\w-]+)+)/g)) found.push(readPath(inner!));
  }
  return found;
}

/** The path that a text is as a whole. */
export function wholePath(text: string): ReadPath | undefined {
  const inner = /^\{%(.*)%\}$/s.exec(text)?.[1]?.trim() ?? text;
  const [, variable = '', path = ''] = /^\$(\$|\w*)((?:\.[\w-]+|\[[^\][]*\])+)$/.exec(inner) ?? [];
  const own = path === '' ? undefined : ownPath(variable, path);
  return own === undefined ? undefined : readPath(own);
}

/** `$.a.b[0]`, `$name.a` of variables, `@.a` of filters, and `$$.Execution.Input.a` of the context. */
const jsonPath =
  /[$@](\$|\w*)((?:\.{1,2}[\w-]+|\[(?:['"][^'"\]]*['"]|[^\][()]*|\?\([^)\]]*\))\])+)/g;
/** The same for JSONata, where a hyphen subtracts. */
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
