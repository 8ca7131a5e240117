import * as z from 'zod/mini';
import { problem } from './diagnostic.ts';
import type { Report } from './format.ts';
import { isRecord, type Path } from './json.ts';
import { branchesFor, isOptional, partsOf, schemaAt } from './shape-schema.ts';
import {
  correction,
  describe,
  describeSchema,
  exampleOf,
  expectedBy,
  type Issue,
  wordHint,
} from './shape-words.ts';
import { agreeing, nearestName, quotedList } from './words.ts';

/**
 * The option `unknownDefinitions` of a format: paths of names that refer to a missing definition, found by the command that knows
 * the definitions.
 */
export const unknownDefinitionsOption = z.optional(
  z.array(
    z.strictObject({
      path: z.array(z.union([z.string(), z.int()])),
      name: z.string(),
      /** The kind before the colon is misspelt. */
      meant: z.optional(z.string()),
      /** The definition exists, but starts this one again through these definitions. */
      cycle: z.optional(z.array(z.string())),
    }),
  ),
);

export type UnknownDefinitions = z.infer<typeof unknownDefinitionsOption>;

/** The most names that a sentence lists. */
const mostListed = 20;

/**
 * Describes each unknown field of an object in a sentence: its path, the name that was probably meant, and the known names.
 *
 * @param path where the object is, such as `life`; the fields of the outermost object have no path
 */
export function unknownFields(given: object, known: readonly string[], path = ''): string[] {
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const at = path === '' ? name : `${path}.${name}`;
      const nearest = nearestName(name, known);
      const meant = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
      const rest = known.length > mostListed ? ' and others' : '';
      const listed = known.slice(0, mostListed).join(', ') || 'no fields';
      return `${JSON.stringify(at)} is unknown.${meant} Known: ${listed}${rest}.`;
    });
}

/** The absent field that an unknown one is a slip of. Short names are not compared: too many are similar by chance. */
function nearestAbsent(field: string, absent: Iterable<string>): string | undefined {
  return field.length > 3 ? nearestName(field, absent) : undefined;
}

/** The fields of a definition that are not known. The shape check reports misspelt ones, so they are left out. */
export function fieldsWithoutMeaning(fields: object, known: readonly string[]): string[] {
  const absent = known.filter((field) => !Object.hasOwn(fields, field));
  return Object.keys(fields).filter(
    (field) => !known.includes(field) && nearestAbsent(field, absent) === undefined,
  );
}

const wrongType = problem(
  'shape/wrong-type',
  'error',
  (expected: string, found: string, hint: string) => ({
    message: `Expected ${expected}, found ${found}.`,
    hint,
  }),
);

const missingField = problem(
  'shape/missing-field',
  'error',
  (fields: readonly string[], expected: readonly string[]) => ({
    message: `The ${agreeing('field', fields.length)} ${quotedList(fields)} ${fields.length === 1 ? 'is' : 'are'} missing.`,
    hint: `Add ${fields.map((field, index) => `"${field}": ${expected[index]}`).join(', ')}.`,
  }),
);

const wrongValue = problem(
  'shape/wrong-value',
  'error',
  (expected: string, found: string, hint: string) => ({
    message: `Expected ${expected}, found ${found}.`,
    hint,
  }),
);

const misspeltField = problem(
  'shape/misspelt-field',
  'warning',
  (field: string, known: string) => ({
    message: `The field "${field}" is unknown here.`,
    hint: `Did you mean "${known}"?`,
  }),
  { misread: true },
);

/** Reported where an ignored field would change the meaning of the others. */
const unreadField = problem(
  'shape/unread-field',
  'error',
  (field: string, near: string | undefined, known: readonly string[]) => ({
    message: `Nothing reads the field "${field}" here, so the part would not do what it says.`,
    hint:
      near === undefined
        ? `Remove it. The fields are ${known.map((name) => `"${name}"`).join(', ')}.`
        : `Did you mean "${near}"?`,
  }),
  { misread: true },
);

export const shapeProblems = [wrongType, missingField, wrongValue, misspeltField, unreadField];

/**
 * Reports where a value does not match a schema, and unknown fields that are probably misspelt. Checks only the first
 * `longestList` items of a list, because formats refuse longer lists.
 */
export function checkShape(value: unknown, schema: z.core.$ZodType, report: Report): void {
  const judged = withShortLists(value);
  const misspelt = new MisspeltFields(judged, schema);
  const result = z.safeParse(schema, judged, { reportInput: true });
  if (!result.success)
    new ShapeIssues(judged, schema, misspelt, report).report(result.error.issues);
  misspelt.report(report);
}

const longestList = 10_000;

/** Shortens lists that are too long. Returns the same value, without copies, when there are none. */
function withShortLists(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.length > longestList ? value.slice(0, longestList) : value;
    const judged = items.map(withShortLists);
    return items === value && judged.every((item, index) => item === value[index]) ? value : judged;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  const judged = entries.map(([key, item]): [string, unknown] => [key, withShortLists(item)]);
  const isSame = judged.every(([, item], index) => item === entries[index]![1]);
  return isSame ? value : Object.fromEntries(judged);
}

/** Reports the issues of a schema in an author's words, one finding for each path. */
class ShapeIssues {
  readonly #value: unknown;
  readonly #schema: z.core.$ZodType;
  readonly #misspelt: MisspeltFields;
  readonly #report: Report;
  /** Fields that are missing, by the path of the object that lacks them. */
  readonly #missing = new Map<string, { readonly path: Path; readonly fields: string[] }>();

  constructor(value: unknown, schema: z.core.$ZodType, misspelt: MisspeltFields, report: Report) {
    this.#value = value;
    this.#schema = schema;
    this.#misspelt = misspelt;
    this.#report = report;
  }

  report(issues: readonly Issue[]): void {
    for (const issue of issues) this.#reportIssue(issue, []);
    for (const { path, fields } of this.#missing.values()) {
      const expected = fields.map((field) => this.#expected([...path, field]));
      // The fields of an empty object are all missing, so the finding is about the whole object.
      const about = isEmpty(partAt(this.#value, path))
        ? [path]
        : fields.map((field) => [...path, field]);
      this.#report(missingField(fields, expected), path, { about });
    }
  }

  #reportIssue(issue: Issue, base: Path): void {
    const path = [
      ...base,
      ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step)),
    ];
    const last = path.at(-1);
    const { input } = issue;
    if (input === undefined && typeof last === 'string') {
      this.#lacks(path.slice(0, -1), last);
    } else if (issue.code === 'invalid_union' && issue.errors.length > 0) {
      const branch = meantBranch(issue.errors);
      if (branch) for (const inner of branch) this.#reportIssue(inner, path);
      else this.#reportWrong(issue, path);
    } else if (issue.code !== 'unrecognized_keys') {
      this.#reportWrong(issue, path);
    }
  }

  #lacks(path: Path, field: string): void {
    if (this.#misspelt.explains([...path, field])) return;
    const key = JSON.stringify(path);
    const known = this.#missing.get(key);
    if (!known) this.#missing.set(key, { path, fields: [field] });
    else if (!known.fields.includes(field)) known.fields.push(field);
  }

  #reportWrong(issue: Issue, path: Path): void {
    const schema = schemaAt(this.#schema, this.#value, path);
    const expected = expectedBy(issue);
    const found = describe(issue.input);
    if (issue.code === 'invalid_type' || issue.code === 'invalid_union') {
      this.#report(wrongType(expected, found, correction(issue, issue.input, schema)), path);
    } else if (issue.code === 'invalid_value') {
      this.#report(wrongValue(expected, found, wordHint(issue.input, issue.values)), path);
    } else {
      this.#report(wrongValue(expected, found, `Write ${expected}.`), path);
    }
  }

  #expected(path: Path): string {
    const schema = schemaAt(this.#schema, this.#value, path);
    if (!schema) return 'a value';
    const isCompound = ['object', 'array'].includes(partsOf(schema).type);
    return isCompound ? exampleOf(schema) : describeSchema(schema);
  }
}

function partAt(value: unknown, path: Path): unknown {
  return path.reduce(
    (part: unknown, step) =>
      Array.isArray(part) || isRecord(part) ? (part as Record<string, unknown>)[step] : undefined,
    value,
  );
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

/**
 * The alternative that the author most likely meant: of those that match the type of the value, the one with the fewest
 * issues, then with the deepest issue. Undefined when no alternative matches the type.
 */
function meantBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const depthOf = (issues: readonly Issue[]) =>
    Math.max(0, ...issues.map((issue) => issue.path.length));
  const [best] = branches
    .filter((issues) =>
      issues.every(({ path, code }) => path.length > 0 || code === 'unrecognized_keys'),
    )
    .toSorted((one, other) => one.length - other.length || depthOf(other) - depthOf(one));
  return best;
}

/**
 * Finds misspelt fields. Unknown fields are allowed, but one that is nearly the name of an absent known field is most likely a
 * mistake: an error if that field is required or its schema has `meta({ decides: true })`, else a warning. In a strict object
 * every unknown field is an error. In an object with `meta({ decides: true })`, an unknown field is an error if its name says
 * that it decides. A field with `meta({ older: true })` is an old spelling, accepted but never suggested.
 */
class MisspeltFields {
  readonly #found: { path: Path; field: string; near: string; isRequired: boolean }[] = [];
  readonly #unread: { path: Path; field: string; near: string | undefined; known: string[] }[] = [];
  readonly #explained = new Set<string>();

  constructor(value: unknown, schema: z.core.$ZodType) {
    this.#look(value, schema, []);
  }

  /** Whether a field is absent because its name is misspelt. */
  explains(path: Path): boolean {
    return this.#explained.has(JSON.stringify(path));
  }

  report(report: Report): void {
    for (const { path, field, near, isRequired } of this.#found) {
      const misspelt = misspeltField(field, near);
      const about = [
        [...path, field],
        [...path, near],
      ];
      report(isRequired ? { ...misspelt, severity: 'error' } : misspelt, [...path, field], {
        at: 'key',
        about,
      });
    }
    for (const { path, field, near, known } of this.#unread)
      report(unreadField(field, near, known), [...path, field], {
        at: 'key',
        about: [field, ...(near === undefined ? [] : [near])].map((name) => [...path, name]),
      });
  }

  #look(value: unknown, schema: z.core.$ZodType, path: Path): void {
    const [meant, ...others] = branchesFor(schema, value);
    if (!meant || others.length > 0) return;
    const { type, element, items, shape, valueType } = partsOf(meant);
    if ((type === 'array' || type === 'tuple') && Array.isArray(value)) {
      value.forEach((item, index) => {
        const own = element ?? items?.[index];
        if (own) this.#look(item, own, [...path, index]);
      });
    } else if (type === 'record' && valueType && isRecord(value)) {
      for (const [key, item] of Object.entries(value)) this.#look(item, valueType, [...path, key]);
    } else if (type === 'object' && shape && isRecord(value)) {
      this.#lookAtFields(value, shape, path, meant);
    }
  }

  #lookAtFields(
    value: Record<string, unknown>,
    fields: Readonly<Record<string, z.core.$ZodType>>,
    path: Path,
    meant: z.core.$ZodType,
  ): void {
    const [strict, decides] = [isStrict(meant), hasMark(meant, 'decides')];
    const absent = new Set(
      Object.keys(fields).filter(
        (field) => !Object.hasOwn(value, field) && !hasMark(fields[field]!, 'older'),
      ),
    );
    for (const [field, child] of Object.entries(value)) {
      const known = Object.hasOwn(fields, field) ? fields[field] : undefined;
      if (known) {
        this.#look(child, known, [...path, field]);
        continue;
      }
      const near = nearestAbsent(field, absent);
      const isError =
        strict ||
        (near !== undefined && hasMark(fields[near]!, 'decides')) ||
        (decides && decidingName.test(field));
      if (isError) this.#unread.push({ path, field, near, known: Object.keys(fields) });
      if (near === undefined) continue;
      absent.delete(near);
      this.#explained.add(JSON.stringify([...path, near]));
      if (isError) continue;
      this.#found.push({ path, field, near, isRequired: !isOptional(fields[near]!) });
    }
  }
}

/** Names of fields that reverse the meaning of a transition if they are ignored. */
const decidingName =
  /^(?:not|negated?|invert(?:ed)?|unless|except.*|if|when|only.*|guards?|conditions?|operator|(?:expected_)?values?|(?:min|max)(?:_.*|imum)?|turns|scope|outcome|priority|(?:allow|den[yi]|requir|forbid).*)$/i;

function hasMark(schema: z.core.$ZodType, mark: 'older' | 'decides'): boolean {
  return z.globalRegistry.get(schema)?.[mark] === true;
}

/** Whether an object may have only its declared fields. */
function isStrict(schema: z.core.$ZodType): boolean {
  const { catchall } = partsOf(schema);
  return catchall !== undefined && partsOf(catchall).type === 'never';
}
