import { quoted } from '../errors.ts';
import type { ProcessIdentity } from './processes.ts';

/** The content of an owner lock. */
export interface Claim {
  /** Unique to this claim. */
  readonly token: string;
  /** A description for people. */
  readonly owner: string;
  readonly process: ProcessIdentity;
  /** ISO 8601. */
  readonly since: string;
}

export function formatClaim(claim: Claim): string {
  return `${JSON.stringify(claim, null, 2)}\n`;
}

/** Parses the content of a lock; undefined when it is not a claim. */
export function parseClaim(text: string): Claim | undefined {
  try {
    const claim = JSON.parse(text) as Claim;
    const { token, owner, since, process } = claim;
    const isClaim =
      [token, owner, since, process.host].every((field) => typeof field === 'string') &&
      Number.isSafeInteger(process.pid);
    return isClaim ? claim : undefined;
  } catch {
    return undefined;
  }
}

export function describeClaim({ owner, process, since }: Claim): string {
  return `${quoted(owner)}, process ${process.pid} on ${quoted(process.host)}, since ${since}`;
}
