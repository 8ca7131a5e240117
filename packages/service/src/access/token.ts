import { createHash, randomBytes } from 'node:crypto';

/** Lets secret scanners recognise a token. Their regular expression: `dmt_[A-Za-z0-9_-]{43}` */
const prefix = 'dmt_';

/** A new token of 256 random bits. */
export function createToken(): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`;
}

/**
 * The SHA-256 hash of a token. A slow hash such as bcrypt is for passwords: 256 random bits cannot be guessed from a hash.
 */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
