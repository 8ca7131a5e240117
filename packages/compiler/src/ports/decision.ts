import type { z } from 'zod';
import { isRecord, type Json } from '../json.ts';
import { type PortInput, portSchemas } from './contract.ts';

/** What a person is asked to decide, as whoever shows it to them gets it. */
export type Question = PortInput<'requestDecision'>;

/** What a person has decided. */
export type Decision = z.output<(typeof portSchemas)['requestDecision']['output']>;

/** A decision that comes from outside, or what is wrong with it in a sentence. Fields that nobody asks for are left out. */
export function readDecision(given: unknown): Decision | string {
  const read = portSchemas.requestDecision.output.safeParse(given);
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return `The decision is not understood. ${problems.join('; ')}.`;
}

/**
 * Why a decision cannot be taken as the answer to a question, in a sentence for whoever has made it; undefined when it
 * can. One rule for all: a host refuses with it what is sent, a machine what a port answers.
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
    return isNamed ? 'It has to be said who decides.' : undefined;
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

/** People write their own name as they like. */
function isSamePerson(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

function notExplained({ isExplained }: Question, { comment }: Decision): string | undefined {
  if (!isExplained || (comment !== undefined && comment.trim() !== '')) return undefined;
  return 'It has to be said why: the decision needs a comment.';
}

function notEditable(
  { editable = [], data = null }: Question,
  { edited }: Decision,
): string | undefined {
  if (edited === undefined) return undefined;
  const fields = editable.length > 0 ? editable.join(', ') : 'nothing';
  if (!isRecord(edited)) return `What was edited is no object. Free to change: ${fields}.`;
  const refused = firstRefused(edited, data, editable.map(stepsOf), []);
  return refused === undefined
    ? undefined
    : `"${refused.join('.')}" is not free to change. Free to change: ${fields}.`;
}

/** Where something differs from the data that no editable path leads to. */
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
    return `There is no item ${strange}: they are numbered from 0 to ${items.length - 1}.`;
  if (!isDivisible && chosen.size < items.length)
    return `The ${items.length} items are approved together or not at all.`;
  return chosen.size < least
    ? `${least} of the ${items.length} items have to be approved at least, and these are ${chosen.size}.`
    : undefined;
}

/**
 * A name that people can type for what has a key, the same for the same key.
 *
 * @param length up to 10 characters, of five bits each
 */
export function codeOf(key: string, length = 8): string {
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

/** Without letters that are taken for digits. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
