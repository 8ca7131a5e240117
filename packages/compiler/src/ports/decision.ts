import type { z } from 'zod/mini';
import { isRecord, type Json } from '../json.ts';
import { inEnglish } from '../words.ts';
import { type PortInput, portSchemas } from './contract.ts';

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

/** A question that a person is asked to decide: the input of `requestDecision`. */
export type Question = PortInput<'requestDecision'>;

/** A person's decision, with defaults filled in. */
export type Decision = z.output<(typeof portSchemas)['requestDecision']['output']>;

/**
 * Reads a decision from outside, also in the field names of the reference engine of Agent State Language. Returns it without
 * unknown fields, or a sentence about what is wrong with it.
 */
export function readDecision(given: unknown): Decision | string {
  const read = portSchemas.requestDecision.output.safeParse(withOwnNames(given), inEnglish);
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return `The decision has a wrong form. ${problems.join('; ')}.`;
}

/** The field names of the reference engine, and ours. */
const names = [
  ['approval', 'decision'],
  ['approver', 'by'],
  ['edited_content', 'edited'],
] as const;

function withOwnNames(given: unknown): unknown {
  if (!isRecord(given)) return given;
  const more = names.flatMap(([theirs, ours]) => {
    const value = given[theirs];
    return value === undefined || value === null || given[ours] !== undefined
      ? []
      : [[ours, value]];
  });
  return { ...given, ...Object.fromEntries(more) };
}

/**
 * Returns why a decision is not a valid answer to a question, in a sentence for the person who made it; undefined when it
 * is valid. A host checks sent decisions with it, and a machine checks the answers of its port, so both apply one rule.
 */
export function whyRefused(question: Question, decision: Decision): string | undefined {
  return (
    notAnOption(question, decision) ??
    notAnApprover(question, decision) ??
    notExplained(question, decision) ??
    notEditable(question, decision) ??
    notStorable(question, decision) ??
    notOfTheBatch(question, decision)
  );
}

function notAnOption({ options }: Question, { decision }: Decision): string | undefined {
  const ids = options.map(({ id }) => id);
  return ids.includes(decision)
    ? undefined
    : `"${decision}" is not one of the options: ${ids.join(', ')}.`;
}

function notAnApprover(
  { approvers, excluded, isNamed }: Question,
  { by, roles = [] }: Decision,
): string | undefined {
  if (by === undefined || by.trim() === '')
    return isNamed ? 'The decision must say in "by" who made it.' : undefined;
  const barred = excluded?.find(({ name }) => mayBeSamePerson(name, by));
  if (barred) return `"${by}" ${barred.because}, so somebody else has to decide.`;
  if (!approvers) return undefined;
  const isMeant =
    approvers.users.includes(by) || approvers.roles.some((role) => roles.includes(role));
  if (isMeant) return undefined;
  const meant = [...approvers.users, ...approvers.roles.map((role) => `who has the role ${role}`)];
  return `"${by}" is none of the approvers: ${meant.join(', ')}.`;
}

/**
 * Ignores case and outer spaces, because people spell their own name in several ways. Used only to refuse: an approver must be
 * named exactly.
 */
function mayBeSamePerson(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

function notExplained({ isExplained }: Question, { comment }: Decision): string | undefined {
  if (!isExplained || (comment !== undefined && comment.trim() !== '')) return undefined;
  return 'The decision needs a comment that says why.';
}

function notEditable(question: Question, { edited }: Decision): string | undefined {
  const read = edited === undefined ? {} : readEdits(question, edited);
  return 'refused' in read ? String(read.refused) : undefined;
}

function notStorable({ reserved }: Question, { data }: Decision): string | undefined {
  if (data === undefined) return undefined;
  if (!reserved) return 'This decision takes no data.';
  const name = Object.keys(data).find((each) => reserved.includes(each));
  if (name === undefined) return undefined;
  return `The data must not have a field "${name}". These names are taken: ${reserved.join(', ')}.`;
}

function notOfTheBatch({ batch }: Question, { decision, approved }: Decision): string | undefined {
  if (!batch) return approved === undefined ? undefined : 'There are no items to decide on.';
  const { items, approves, isDivisible, least } = batch;
  if (decision !== approves) {
    return approved === undefined || approved.length === 0
      ? undefined
      : `Items are approved by "${approves}" and not by "${decision}".`;
  }
  const chosen = new Set(approved ?? items.keys());
  const strange = [...chosen].find((index) => index >= items.length);
  if (strange !== undefined)
    return `There is no item ${strange}: the items are numbered from 0 to ${items.length - 1}.`;
  if (!isDivisible && chosen.size < items.length)
    return `The ${items.length} items must be approved together or not at all.`;
  return chosen.size < least
    ? `At least ${least} of the ${items.length} items must be approved, and ${chosen.size} ${chosen.size === 1 ? 'is' : 'are'}.`
    : undefined;
}

/**
 * A short code that people can type in place of a key. Equal keys have equal codes.
 *
 * @param length at most 10 characters, of five bits each
 */
export function shortCode(key: string, length = 8): string {
  // cyrb53, a hash of 53 bits.
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < key.length; at += 1) {
    const unit = key.charCodeAt(at);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  let rest = 2 ** 32 * (2097151 & low) + (high >>> 0);
  let code = '';
  for (let count = 0; count < length; count += 1) {
    code += alphabet[rest % 32]!;
    rest = Math.floor(rest / 32);
  }
  return code;
}

/** Without the letters that look like digits. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
