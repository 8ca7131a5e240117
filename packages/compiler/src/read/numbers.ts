import type { Problem } from '../diagnostic.ts';
import { notJsonValue, quote, unsafeNumber } from './problems.ts';

const integer = /^[-+]?\d+$|^0[xo][\da-f]+$/i;

/** What is wrong with a number as written, given what it was read as. A number that is not finite has no value in JSON. */
export function numberProblem(written: string, value: number): Problem | undefined {
  if (Number.isNaN(value) || /inf/i.test(written)) {
    return notJsonValue(
      `${quote(written)} is not a number that JSON has.`,
      'Write null, or the word in quotes.',
    );
  }
  if (!Number.isFinite(value)) {
    return notJsonValue(
      `The number ${quote(written)} is too large.`,
      'Write a smaller one, or write it in quotes.',
    );
  }
  // Digits are lost only beyond 2^53, and there only where the number is not printed as it was written.
  if (Number.isSafeInteger(value) || !integer.test(written) || written === String(value))
    return undefined;
  return unsafeNumber(written, value);
}
