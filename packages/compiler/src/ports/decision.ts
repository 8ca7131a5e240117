import type { z } from 'zod';
import { isRecord, type Json } from '../json.ts';
import { type PortInput, portSchemas } from './contract.ts';

/** A question that a person is asked to decide: the input of `requestDecision`. */
export type Question = PortInput<'requestDecision'>;

/** A person's decision, with defaults filled in. */
export type Decision = z.output<(typeof portSchemas)['requestDecision']['output']>;

/** Reads a decision from outside. Returns it without unknown fields, or a sentence about what is wrong with it. */
export function readDecision(given: unknown): Decision | string {
  const read = portSchemas.requestDecision.output.safeParse(given);
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return `The decision has a wrong form. ${problems.join('; ')}.`;
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
    return isNamed ? 'The decision must say who made it.' : undefined;
  const barred = excluded?.find(({ name }) => isSamePerson(name, by));
  if (barred) return `"${by}" ${barred.because}, so somebody else has to decide.`;
  if (!approvers) return undefined;
  const isMeant =
    approvers.users.some((user) => isSamePerson(user, by)) ||
    approvers.roles.some((role) => roles.includes(role));
  if (isMeant) return undefined;
  const meant = [...approvers.users, ...approvers.roles.map((role) => `who has the role ${role}`)];
  return `"${by}" is none of the approvers: ${meant.join(', ')}.`;
}

/** Ignores case and outer spaces: people spell their own name in several ways. */
function isSamePerson(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

function notExplained({ isExplained }: Question, { comment }: Decision): string | undefined {
  if (!isExplained || (comment !== undefined && comment.trim() !== '')) return undefined;
  return 'The decision needs a comment that says why.';
}

function notEditable(
  { editable = [], data = null }: Question,
  { edited }: Decision,
): string | undefined {
  if (edited === undefined) return undefined;
  const fields = editable.length > 0 ? editable.join(', ') : 'none';
  if (!isRecord(edited))
    return `"edited" must be an object. Fields that may be changed: ${fields}.`;
  const refused = firstRefused(edited, data, editable.map(stepsOf), []);
  return refused === undefined
    ? undefined
    : `"${refused.join('.')}" may not be changed. Fields that may be changed: ${fields}.`;
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
  if (!goesOn || typeof edited !== 'object' || edited === null) return at;
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

/** The steps of a path: `$.draft['title'][0]` is draft, title, 0. */
export function stepsOf(path: string): string[] {
  const steps: string[] = [];
  for (const [, quoted, index, name] of path.matchAll(/\['([^']*)'\]|\[(\d+)\]|([^.[\]]+)/g)) {
    const step = quoted ?? index ?? name!;
    if (step !== '$') steps.push(step);
  }
  return steps;
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
