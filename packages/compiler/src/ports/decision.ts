import type { z } from 'zod/mini';
import { inEnglish } from '../in-english.ts';
import { isRecord } from '../json.ts';
import { type PortInput, portSchemas } from './contract.ts';
import { readEdits } from './edits.ts';

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
    return isNamed ? 'The decision must say who made it.' : undefined;
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
