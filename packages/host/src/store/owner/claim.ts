import { quoted } from '../errors.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** What the owner of a store writes into its lock. */
export interface Claim {
  /** No other claim has it. */
  readonly token: string;
  /** In words for people. */
  readonly owner: string;
  readonly process: ProcessIdentity;
  /** ISO 8601. */
  readonly since: string;
}

export function formatClaim(claim: Claim): string {
  return `${JSON.stringify(claim, null, 2)}\n`;
}

/** The claim in a lock; undefined when it cannot be read as one. */
export function parseClaim(text: string): Claim | undefined {
  try {
    const claim = JSON.parse(text) as Claim;
    const { token, owner, since, process } = claim;
    const known =
      [token, owner, since, process.host].every((field) => typeof field === 'string') &&
      Number.isSafeInteger(process.pid);
    return known ? claim : undefined;
  } catch {
    return undefined;
  }
}

export function describeClaim({ owner, process, since }: Claim): string {
  return `${quoted(owner)}, process ${process.pid} on ${quoted(process.host)}, since ${since}`;
}
