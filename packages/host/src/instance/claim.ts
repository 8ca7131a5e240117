/** The person who has a conversation, and until when: milliseconds since 1970 UTC. */
export interface Owner {
  readonly by: string;
  readonly until: number;
}

/**
 * The claim of a person who has taken a conversation over. It is compared with the time of each step: no timer ends it, and an
 * expired claim leaves the instance paused.
 */
export interface Claim extends Owner {
  /** How long the claim holds after each act of the owner, in milliseconds. */
  readonly forMs: number;
}

/** How long a claim holds, unless the person says otherwise: 15 minutes. */
export const claimDefaultMs = 900_000;

/** @returns undefined without a claim, and when it has expired */
export function ownerAt(claim: Claim | null | undefined, now: number): Owner | undefined {
  if (!claim || claim.until <= now) return undefined;
  const { by, until } = claim;
  return { by, until };
}

/** A claim of the same person, from now on. */
export function renewedClaim({ by, forMs }: Pick<Claim, 'by' | 'forMs'>, now: number): Claim {
  return { by, until: now + forMs, forMs };
}

/** The refusal of an act by another person. */
export function claimedBy({ by, until }: Owner): {
  readonly code: string;
  readonly because: string;
} {
  const time = new Date(until).toISOString().slice(0, 19).replace('T', ' ');
  return {
    code: 'host/claimed',
    because: `${JSON.stringify(by)} has this conversation until ${time} UTC. Ask them to release it, or wait until then.`,
  };
}

export const notClaimed = {
  code: 'host/not-claimed',
  because: 'This conversation was not taken over, so there is nothing to release.',
};
