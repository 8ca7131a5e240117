import type { Problem } from '../diagnostic.ts';
import { notJsonValue, quote, unsafeNumber } from './problems.ts';

const integer = /^[-+]?\d+$|^0[xo][\da-f]+$/i;

/** Checks a number as written against the value it was read as. JSON has no value for a number that is not finite. */
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
  // Digits are lost only beyond 2^53, and only if the number prints differently from how it was written.
  if (Number.isSafeInteger(value) || !integer.test(written) || written === String(value))
    return undefined;
  return unsafeNumber(written, value);
}
