import { type Chart, isRecord, type Json } from '@dramaturg/compiler';
import { definitionOf } from '../host.ts';
import {
  copiesIn,
  type FieldUse,
  type NamedUse,
  pathsIn,
  type ReadPath,
  usesInState,
  usesInText,
  wholePath,
} from './field-uses.ts';

/** A number and its neighbours: a comparison with it holds for some of them, and not for the others. */
function around(value: number): number[] {
  const step = Number.isInteger(value) ? 1 : 0.01;
  return [value, value + step, value - step];
}

/** Values for two fields that are compared with each other, the smaller one first. */
const valuesToCompare: Readonly<Record<string, readonly Json[]>> = {
  String: ['one', 'other'],
  Boolean: [true, false],
  Timestamp: ['2026-01-01T09:00:00Z', '2026-01-02T09:00:00Z'],
};

/** Values for which a comparison of Agent State Language holds, and values for which it does not. */
function valuesFor(operator: string, expected: unknown): readonly Json[] {
  if (operator.endsWith('Path')) {
    const [, kind = ''] = /^(String|Boolean|Timestamp)/.exec(operator) ?? [];
    return valuesToCompare[kind] ?? [1, 2];
  }
  if (operator.startsWith('Numeric') && typeof expected === 'number') return around(expected);
  if (operator.startsWith('Boolean')) return [true, false];
  if (operator === 'StringMatches' && typeof expected === 'string')
    return [expected.replaceAll(/(?<!\\)\*/g, 'a'), 'something else'];
  if (operator.startsWith('String') && typeof expected === 'string')
    return /Less|Greater/.test(operator)
      ? [expected, `${expected}a`, '']
      : [expected, 'something else'];
  if (operator.startsWith('Timestamp') && typeof expected === 'string') {
    const at = Date.parse(expected);
    if (Number.isNaN(at)) return [];
    return [0, 1000, -1000].map((offset) =>
      new Date(at + offset).toISOString().replace('.000', ''),
    );
  }
  const samples: Readonly<Record<string, readonly Json[]>> = {
    IsNull: [null, 'a text'],
    IsString: ['a text', 1],
    IsNumeric: [1, 'a text'],
    IsBoolean: [true, 'a text'],
    IsTimestamp: ['2026-01-01T09:00:00Z', 'a text'],
    IsPresent: ['a text'],
  };
  return samples[operator] ?? [];
}

/** The parts of a definition that decide its way: compared values, data that it reads, and errors that it names. */
export interface Vocabulary {
  /** The values that a field is compared with, and their neighbours. */
  readonly valuesOf: (field: string) => readonly Json[];
  /** The field at a path: its last name, or the last two where fields of the same name are compared in several objects. */
  readonly fieldOf: (path: readonly string[]) => string;
  /** Names of fields that a condition compares. */
  readonly compared: ReadonlySet<string>;
  /** The fields of the data that a condition compares. */
  readonly comparedFields: readonly string[];
  /** How the definition uses a field, by its name. */
  readonly uses: ReadonlyMap<string, FieldUse>;
  /** The fields that one compound condition reads. */
  readonly readTogether: readonly (readonly string[])[];
  /** Paths of data that are read, such as `['order', 'price']`. */
  readonly paths: readonly (readonly string[])[];
  /** The paths that are read within the items of a list, by the name of its field. */
  readonly itemPaths: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** Names of fields that hold lists. */
  readonly lists: ReadonlySet<string>;
  /** Errors that an agent or tool can be expected to fail with, by its name. */
  readonly errorsOf: (agent: string) => readonly string[];
  /** Errors that a definition that runs as an agent can be expected to fail with. */
  readonly errorsOfChildren: readonly string[];
  /** The fields that take the whole result of an agent, by its name. */
  readonly resultFieldsOf: (agent: string) => readonly string[];
  /** Every string of the chart: the search distinguishes data with these strings. */
  readonly texts: ReadonlySet<string>;
  /** Whether the person who has started a run matters: an approval excludes them, or data have their name. */
  readonly readsRequestor: boolean;
  /** The search distinguishes numbers up to this one. */
  readonly largestNumber: number;
  /** Larger numbers that data are compared with, in ascending order: all numbers between two of them decide the same. */
  readonly thresholds: readonly number[];
  /** Whether a limit of the definition is higher than the search counts. */
  readonly hasUncountedLimit: boolean;
}

/** Data and definition may be large; the search needs only some of it. */
const valuesMax = 12;
const pathsMax = 200;
const itemPathsMax = 20;
const togetherMax = 8;
const copiesDeepMax = 3;
/** The search does not distinguish larger counts. */
const countMax = 50;
const thresholdsMax = 200;

/** Collects the words of charts. */
export function vocabularyOf(charts: readonly Chart[]): Vocabulary {
  const words = new Words();
  for (const chart of charts) words.visit(chart);
  words.followCopies();
  const { values, uses, errors, resultFields, texts, numbers } = words;
  const paths = [...words.paths.values()].slice(0, pathsMax);
  const pairs = ambiguousPairs(words.comparedPairs);
  const fieldOf = (path: readonly string[]) => {
    const pair = pairOf(path);
    return pairs.has(pair) ? pair : path.at(-1)!;
  };
  const fields = paths.flatMap((path) => path.map((_, index) => fieldOf(path.slice(0, index + 1))));
  return {
    valuesOf: (field) => (values.get(field) ?? []).slice(0, valuesMax),
    fieldOf,
    compared: new Set(values.keys()),
    comparedFields: [...new Set(fields)].filter((field) => values.has(field)),
    uses,
    readTogether: [...words.together.values()]
      .map((read) => [...new Set(read.map(fieldOf))])
      .filter((read) => read.length > 1)
      .slice(0, togetherMax),
    paths,
    itemPaths: words.itemPaths,
    lists: new Set([...uses].flatMap(([field, { kind }]) => (kind === 'list' ? [field] : []))),
    errorsOf: (agent) => [...(errors.get(agent) ?? [])],
    errorsOfChildren: [
      ...new Set([...errors].flatMap(([agent, names]) => (definitionOf(agent) ? [...names] : []))),
    ],
    resultFieldsOf: (agent) => [...(resultFields.get(agent) ?? [])],
    texts,
    readsRequestor: words.readsRequestor,
    largestNumber: Math.max(2, ...numbers),
    thresholds: [...words.thresholds].toSorted((one, other) => one - other).slice(0, thresholdsMax),
    hasUncountedLimit: words.hasUncountedLimit,
  };
}

class Words {
  readonly values = new Map<string, Json[]>();
  readonly paths = new Map<string, readonly string[]>();
  readonly uses = new Map<string, FieldUse>();
  readonly itemPaths = new Map<string, readonly (readonly string[])[]>();
  readonly #copies: (readonly [copy: string, original: string])[] = [];
  readonly comparedPairs = new Set<string>();
  readonly together = new Map<string, readonly (readonly string[])[]>();
  readonly errors = new Map<string, Set<string>>();
  readonly resultFields = new Map<string, Set<string>>();
  readonly texts = new Set<string>();
  readonly numbers: number[] = [];
  readonly thresholds = new Set<number>();
  hasUncountedLimit = false;
  readsRequestor = false;

  visit(chart: Chart): void {
    const pending: unknown[] = [chart];
    for (const part of pending) {
      if (typeof part === 'string') this.#text(part);
      else if (typeof part === 'object' && part !== null) {
        if (isRecord(part)) this.#object(part);
        pending.push(...Object.values(part));
      }
    }
  }

  /** A use of a copy is also a use of its original, and of the original of that. */
  followCopies(): void {
    for (let depth = 0; depth < copiesDeepMax; depth += 1)
      for (const [copy, original] of this.#copies) {
        for (const value of this.values.get(copy) ?? []) this.#add([original], value);
        const use = this.uses.get(copy);
        if (use && use.kind !== 'whole') this.#use([original, use]);
      }
  }

  #text(text: string): void {
    if (text.length <= 200) this.texts.add(text);
    if (!text.includes('$') && !text.includes('{')) return;
    if (text.includes('Requestor')) this.readsRequestor = true;
    const excerpt = text.slice(0, 2_000);
    const read = pathsIn(excerpt);
    for (const each of read) this.#read(each);
    for (const use of usesInText(excerpt)) this.#use(use);
    if (/\b(?:and|or)\b/.test(excerpt))
      this.#readTogether(read.flatMap(({ parts }) => parts.slice(-1)));
    for (const [, , path, operator, literal] of excerpt.matchAll(comparison)) {
      const value = literalOf(literal!);
      const compared = segments(`.${path!}`);
      if (compared.length === 0 || value === undefined) continue;
      this.#compare(compared, value, /[<>]/.test(operator!));
    }
  }

  #object(part: Readonly<Record<string, unknown>>): void {
    if (part['ExcludeRequestor'] === true) this.readsRequestor = true;
    if (isRecord(part['guard'])) this.#limits(part['guard']);
    // The attempts of a retrier are counted.
    if (part['ErrorEquals'] !== undefined && typeof part['MaxAttempts'] === 'number')
      this.#limit(part['MaxAttempts']);
    // So are reminders, and the attempts of a failed call of a turn.
    if (typeof part['max_followups'] === 'number') this.#limit(part['max_followups']);
    if (part['backoff_rate'] !== undefined && typeof part['attempts'] === 'number')
      this.#limit(part['attempts']);
    this.#choiceRule(part);
    this.#compound(part);
    this.#task(part);
    this.#agentOfPlan(part);
    for (const use of usesInState(part)) this.#use(use);
    this.#copies.push(...copiesIn(part));
    this.#condition(part);
  }

  /** Keeps the more specific of two uses: a list may also be copied as a whole. */
  #use([field, use]: NamedUse): void {
    const known = this.uses.get(field);
    if (known?.kind === 'list' && use.kind === 'list' && known.items >= use.items) return;
    if (known && use.kind !== 'list' && known.kind !== 'whole') return;
    this.uses.set(field, use);
    this.#path([field]);
  }

  /** The fields that the comparisons in a rule of Agent State Language read, or in the rules of a Choice: their order matters. */
  #compound({ And: and, Or: or, Choices: rules }: Readonly<Record<string, unknown>>): void {
    const fields: (readonly string[])[] = [];
    const pending: unknown[] = [and, or, rules];
    for (const part of pending) {
      if (typeof part !== 'object' || part === null) continue;
      const { Variable: variable } = part as { readonly Variable?: unknown };
      if (typeof variable === 'string') fields.push(...variablePath(variable).slice(-1));
      pending.push(...Object.values(part));
    }
    this.#readTogether(fields);
  }

  #readTogether(fields: readonly (readonly string[])[]): void {
    this.together.set(JSON.stringify(fields), fields);
  }

  /** The numbers of a guard: the search distinguishes counts up to them. */
  #limits(guard: Readonly<Record<string, unknown>>): void {
    const pending: unknown[] = [guard];
    for (const part of pending)
      if (typeof part === 'number') this.#limit(part);
      else if (isRecord(part) && isComparison(part)) continue;
      else if (typeof part === 'object' && part !== null) pending.push(...Object.values(part));
  }

  /** The search counts up to a limit, and one further. */
  #limit(limit: number): void {
    if (limit <= countMax) this.numbers.push(Math.ceil(limit) + 1);
    else this.hasUncountedLimit = true;
  }

  /** The parameters of a guard: `{ deliverable_key: score, operator: gt, value: 80 }`. */
  #condition(part: Readonly<Record<string, unknown>>): void {
    if (!isComparison(part)) return;
    const { key, variable, deliverable_key: deliverable, operator, ...terms } = part;
    const field = (deliverable ?? key ?? variable) as string;
    const isOrdered = typeof operator === 'string';
    for (const [name, given] of Object.entries(terms))
      for (const value of [given].flat())
        if (isScalar(value) && !notCompared.has(name))
          this.#compare([field], value, isOrdered || typeof value === 'number');
  }

  /** A rule of Agent State Language: `{ Variable: $.price, NumericGreaterThan: 100 }`. */
  #choiceRule(rule: Readonly<Record<string, unknown>>): void {
    const { Variable: variable } = rule;
    if (typeof variable !== 'string') return;
    const parts = variablePath(variable);
    const path = parts.at(-1);
    if (path === undefined) return;
    for (const part of parts) this.#path(part);
    for (const [operator, expected] of Object.entries(rule)) {
      if (operator === 'Variable' || operator === 'Next') continue;
      const fields = [path];
      // Two fields that are compared with each other have the same values.
      if (operator.endsWith('Path') && typeof expected === 'string')
        for (const other of variablePath(expected)) {
          this.#path(other);
          fields.push(other);
        }
      for (const value of valuesFor(operator, expected))
        for (const field of fields) this.#add(field, value);
    }
  }

  #task(state: Readonly<Record<string, unknown>>): void {
    const agent = state['Agent'] ?? state['Resource'];
    if (typeof agent !== 'string') return;
    for (const entry of [state['Retry'], state['Catch']].flat())
      if (isRecord(entry))
        for (const error of [entry['ErrorEquals']].flat())
          if (typeof error === 'string') add(this.errors, agent, error);
    const { ResultPath: path } = state;
    const field = typeof path === 'string' ? segments(path.replace(/^\$+/, '')).at(-1) : undefined;
    if (field !== undefined) add(this.resultFields, agent, field);
  }

  /** The results of a task of a plan have its deliverables, at the paths that it names. */
  #agentOfPlan({ agent, deliverables, results }: Readonly<Record<string, unknown>>): void {
    if (typeof agent !== 'string' || !Array.isArray(deliverables)) return;
    for (const { key, type, enum_values: values } of deliverables.filter(isRecord)) {
      const named = isRecord(results) ? results[String(key)] : undefined;
      const path = typeof named === 'string' ? named.split('.') : [String(key)];
      this.#path(path);
      this.#copies.push([String(key), path.at(-1)!]);
      if (type === 'number') this.#use([path.at(-1)!, { kind: 'number' }]);
      const possible = type === 'boolean' ? [true, false] : Array.isArray(values) ? values : [];
      for (const value of possible) this.#add(path, value as Json);
    }
  }

  #read({ parts, lists }: ReadPath): void {
    for (const part of parts) this.#path(part);
    for (const [index, { name }] of lists.entries()) {
      const inside = parts[index + 1];
      const known = this.itemPaths.get(name) ?? [];
      if (inside && known.length < itemPathsMax) this.itemPaths.set(name, [...known, inside]);
    }
  }

  #path(path: readonly string[]): void {
    if (path.length > 0 && path.length <= 8) this.paths.set(path.join('.'), path);
  }

  #compare(path: readonly string[], value: Json, isOrdered: boolean): void {
    const neighbours = isOrdered && typeof value === 'number' ? around(value) : [value];
    for (const each of neighbours) this.#add(path, each);
  }

  #add(path: readonly string[], value: Json): void {
    if (typeof value === 'number')
      if (value <= countMax) this.numbers.push(Math.ceil(value) + 1);
      else this.thresholds.add(value);
    const pair = pairOf(path);
    if (path.length > 1) this.comparedPairs.add(pair);
    for (const field of new Set([path.at(-1)!, pair])) {
      const known = this.values.get(field) ?? [];
      if (
        known.length < 100 &&
        !known.some((each) => JSON.stringify(each) === JSON.stringify(value))
      )
        known.push(value);
      this.values.set(field, known);
    }
  }
}

/** `price > 100` in an expression; the literal may be a string, a number or a truth value. */
const comparison =
  /(\$(?:states\.(?:input|result)\.)?)?([A-Za-z_$][\w.$]*)\s*(==?|!=|<=?|>=?|in)\s*("[^"]{0,100}"|'[^']{0,100}'|-?\d+(?:\.\d+)?|true|false)/g;

/** Parameters of guards that are no values of data. */
const notCompared = new Set(['to', 'from', 'type', 'state', 'machine', 'task']);

/** Whether an object of a chart compares a field of the data. */
function isComparison({
  key,
  variable,
  deliverable_key: deliverable,
  description,
}: Readonly<Record<string, unknown>>): boolean {
  return typeof (deliverable ?? key ?? variable) === 'string' && description === undefined;
}

function literalOf(text: string): Json | undefined {
  if (/^["']/.test(text)) return text.slice(1, -1);
  return JSON.parse(text) as Json;
}

/** The path of a `Variable`, in the parts between its lists; a string that is not a path has none. */
function variablePath(variable: string): readonly (readonly string[])[] {
  return wholePath(variable)?.parts ?? [];
}

function pairOf(path: readonly string[]): string {
  return path.slice(-2).join('.');
}

/** The pairs of names with a last name that is compared in several objects, as in `{ status: { S: … }, id: { S: … } }`. */
function ambiguousPairs(pairs: ReadonlySet<string>): ReadonlySet<string> {
  const lastOf = (pair: string) => pair.slice(pair.lastIndexOf('.') + 1);
  const counts = new Map<string, number>();
  for (const pair of pairs) counts.set(lastOf(pair), (counts.get(lastOf(pair)) ?? 0) + 1);
  return new Set([...pairs].filter((pair) => counts.get(lastOf(pair))! > 1));
}

function segments(path: string): readonly string[] {
  return [...path.matchAll(/\.([\w-]+)|\[['"]([^'"]+)['"]\]/g)].map(
    ([, name, quoted]) => (name ?? quoted)!,
  );
}

function add(map: Map<string, Set<string>>, key: string, value: string): void {
  map.set(key, (map.get(key) ?? new Set()).add(value));
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
