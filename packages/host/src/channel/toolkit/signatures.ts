import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Whether two strings are the same, in constant time: the duration does not show where they differ. */
export function isSameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** A keyed hash of a request. */
export function hmac(
  algorithm: 'sha1' | 'sha256',
  secret: string,
  text: string,
  encoding: 'base64' | 'hex',
): string {
  return createHmac(algorithm, secret).update(text).digest(encoding);
}

/** The largest age of a signed request, in seconds. An older one may be a replay. */
export const toleranceSeconds = 300;

/** Whether a signed time, in seconds since 1970 UTC, is close to now. */
export function isRecent(seconds: string | number): boolean {
  const time =
    typeof seconds === 'string' && /^\d{1,12}$/.test(seconds) ? Number(seconds) : seconds;
  return typeof time === 'number' && Math.abs(Date.now() / 1_000 - time) <= toleranceSeconds;
}
