import { phraseOf } from './phrase.ts';

const correcting =
  /\b(?:actually|sorry|correction|instead|i meant|i mean|rather|mistake|mistaken|wrong|change|update|correct|switch|should be|not .{1,40} but)\b/u;

/** True when the text takes something back: only then may it replace what was said before. */
export function isCorrection(text: string): boolean {
  const start = text.slice(0, 500).toLowerCase().replaceAll('’', "'");
  return correcting.test(start) || /^(?:no|nope)\b/u.test(phraseOf(start));
}

/** What stands before a correction without the words that announce it: in "no, my name is Bob", nothing. */
export function withoutCorrectionCue(text: string): string {
  return text.replace(
    /^\s*(?:(?:no|nope|oh|oops|wait|sorry|actually|correction|i meant|i mean|wrong)\b[\s,.:;!-]{0,9})+/iu,
    '',
  );
}
