import { badRequest } from '../errors.ts';
import { claimDefaultMs } from '../instance/claim.ts';
import { requireObject } from './request.ts';

/** The person who acts. */
export interface ByOperator {
  /** The name of the person, 1 to 128 characters. A program may leave it out of commands that need no name. */
  readonly by?: string;
  /** Acts although another person has the conversation. */
  readonly force?: boolean;
}

export interface InterveneOptions extends ByOperator {
  /**
   * The id of the last line of the transcript that the author has seen. The agent does not answer the lines up to it. Without it,
   * the message answers no lines.
   */
  readonly upTo?: string;
  /** An idempotency key of 1 to 200 characters: the message is sent once, however often it is repeated. */
  readonly key?: string;
}

export interface TakeOverOptions extends ByOperator {
  readonly by: string;
  /** The colleague who gets the conversation; the person who acts when left out. */
  readonly to?: string;
  /** How long the claim holds after the person's last act, in milliseconds. 15 minutes when left out. */
  readonly forMs?: number;
}

/** The longest note, in code points. */
const noteLengthMax = 4_000;
const [claimMinMs, claimMaxMs] = [1_000, 86_400_000];

/** @returns the fields for an event */
export function actFields(act: ByOperator): { by?: string; force?: true } {
  const { by, force } = requireObject(act, 'options of the act');
  return {
    ...(by === undefined ? {} : { by: requirePerson(by) }),
    ...(force === true ? { force } : {}),
  };
}

/** Checks the name of a person. The name is shown to others, so lookalike characters are refused. */
export function requirePerson(by: unknown): string {
  if (typeof by === 'string' && /^(?! )[^\p{C}\p{Zl}\p{Zp}]{1,128}(?<! )$/u.test(by)) return by;
  throw badRequest(
    '"by" is the name of a person: 1 to 128 characters, without control characters and outer spaces.',
  );
}

export function requireKey(key: unknown): string {
  if (typeof key === 'string' && key !== '' && key.length <= 200) return key;
  throw badRequest('The "key" of a message by hand is a text of 1 to 200 characters.');
}

export function requireClaimTime(forMs: unknown = claimDefaultMs): number {
  if (Number.isInteger(forMs) && Number(forMs) >= claimMinMs && Number(forMs) <= claimMaxMs)
    return Number(forMs);
  throw badRequest(
    `"forMs" is a whole number of milliseconds from ${claimMinMs} to ${claimMaxMs}, which is a day.`,
  );
}

export function requireNote(text: unknown): string {
  const isNote = typeof text === 'string' && text.trim() !== '';
  if (isNote && Array.from(text).length <= noteLengthMax) return text;
  throw badRequest(`The "text" of a note has 1 to ${noteLengthMax} characters and is not blank.`);
}
