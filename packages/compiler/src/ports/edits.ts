import { isRecord, type Json } from '../json.ts';

/** New values of editable fields, by their paths. A type and not an interface, so that it is a `JsonObject`. */
export type Edits = { readonly [path: string]: Json };

interface Editable {
  readonly editable?: readonly string[] | undefined;
  readonly data?: Json | undefined;
}

/**
 * Reads `edited` of a decision. A field is named by the last name of its path (`{ "title": "New" }`), by its path (`{
 * "$.draft.title": "New" }`), or by nesting as in the data (`{ "draft": { "title": "New" } }`), where unchanged data may be
 * around it.
 *
 * @returns the edits, or a sentence that says why they are refused
 */
export function readEdits(
  { editable = [], data = null }: Editable,
  edited: Json,
): { readonly edits: Edits } | { readonly refused: string } {
  const changeable = `Fields that may be changed: ${editable.length > 0 ? editable.join(', ') : 'none'}.`;
  if (!isRecord(edited)) return { refused: `"edited" must be an object. ${changeable}` };
  const edits = new Map<string, Json>();
  const nested = new Map<string, Json>();
  const names = new FieldNames(editable);
  for (const [name, value] of Object.entries(edited)) {
    const path = names.isParent(name, value) ? undefined : names.path(name);
    if (path === undefined) nested.set(name, value);
    else edits.set(path, value);
  }
  const rest = Object.fromEntries(nested);
  const paths = editable.map((path) => stepsOf(path));
  const refused = nested.size === 0 ? undefined : firstRefused(rest, data, paths, []);
  if (refused) {
    const meant = editable.filter((path) => stepsOf(path).at(-1) === refused[0]);
    return {
      refused:
        refused.length === 1 && meant.length > 1
          ? `"${refused[0]}" may be ${meant.join(' or ')}: give the whole path.`
          : `"${refused.join('.')}" may not be changed. ${changeable}`,
    };
  }
  for (const path of nested.size === 0 ? [] : editable) {
    const value = fieldAt(rest, path);
    if (value !== undefined) edits.set(path, value);
  }
  return { edits: Object.fromEntries(edits) };
}

/** How people name editable fields. */
class FieldNames {
  /** Paths, by their steps and by their short names. */
  readonly #paths = new Map<string, string>();
  /** The first steps of the paths that have several steps. */
  readonly #parents = new Set<string>();

  constructor(editable: readonly string[]) {
    const names = shortNames(editable);
    for (const path of editable) {
      const name = names.get(path);
      if (name !== undefined) this.#paths.set(name, path);
    }
    for (const path of editable) {
      const steps = stepsOf(path);
      this.#paths.set(steps.join('.'), path);
      if (steps.length > 1) this.#parents.add(steps[0]!);
    }
  }

  /** The path that a person means by a name: the path itself, with or without `$.`, or its last name. */
  path(name: string): string | undefined {
    return this.#paths.get(name) ?? this.#paths.get(stepsOf(name).join('.'));
  }

  /** Whether a value contains an editable field, rather than being the new value of one. */
  isParent(name: string, value: Json): boolean {
    return typeof value === 'object' && value !== null && this.#parents.has(name);
  }
}

/** The last names of paths. An index has no such name. Fields that share a last name are left out. */
export function shortNames(editable: readonly string[]): ReadonlyMap<string, string> {
  const named = new Map<string, string[]>();
  for (const path of new Set(editable)) {
    const last = stepsOf(path).at(-1);
    if (last === undefined || /^\d+$/.test(last)) continue;
    named.set(last, [...(named.get(last) ?? []), path]);
  }
  const own = [...named].filter(([, paths]) => paths.length === 1);
  return new Map(own.map(([name, [path]]) => [path!, name]));
}

/** The first place that differs from the data although no editable path leads to it. */
function firstRefused(
  edited: Json,
  data: Json | undefined,
  editable: readonly (readonly string[])[],
  at: readonly string[],
): readonly string[] | undefined {
  const leadsHere = (path: readonly string[]) =>
    path.length <= at.length && path.every((step, index) => step === at[index]);
  if (editable.some(leadsHere) || JSON.stringify(edited) === JSON.stringify(data)) return undefined;
  const goesOn = editable.some((path) => at.every((step, index) => step === path[index]));
  const isRoot = at.length === 0;
  if ((!goesOn && !isRoot) || typeof edited !== 'object' || edited === null) return at;
  for (const [step, value] of Object.entries(edited)) {
    const before =
      typeof data === 'object' && data !== null && Object.hasOwn(data, step)
        ? (data as Record<string, Json>)[step]
        : undefined;
    const refused = firstRefused(value, before, editable, [...at, step]);
    if (refused) return refused;
  }
  return undefined;
}

/**
 * Builds `edited` of a decision from texts that a person typed.
 *
 * @param edits new texts by the name or path of a field. A field whose old value is a text takes the new text as it is; any
 *   other field takes it as JSON if it parses.
 */
export function editedFields(
  { editable = [], data }: Editable,
  edits: Iterable<readonly [string, string]>,
): Json {
  const names = new FieldNames(editable);
  return Object.fromEntries(
    Array.from(edits, ([name, text]): [string, Json] => {
      const before = fieldAt(data, names.path(name) ?? name);
      return [name, typeof before === 'string' ? text : readValue(text)];
    }),
  );
}

function readValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** The steps of a path: `$.draft['title'][0]` is draft, title, 0. */
export function stepsOf(path: string): string[] {
  const steps: string[] = [];
  for (const [, quoted, index, name] of path.matchAll(/\['([^']*)'\]|\[(\d+)\]|([^.[\]]+)/g)) {
    const step = quoted ?? index ?? name!;
    if (step !== '$') steps.push(step);
  }
  return steps;
}

/** The value at a path such as `$.draft.title`; undefined when the data do not have the path. */
export function fieldAt(data: Json | undefined, path: string): Json | undefined {
  let at: unknown = data;
  for (const step of stepsOf(path)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string, unknown>)[step];
  }
  return at as Json;
}
