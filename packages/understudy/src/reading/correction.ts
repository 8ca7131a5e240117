import { phraseOf } from './phrases.ts';

const correcting =
  /\b(?:actually|sorry|correction|instead|i meant|i mean|rather|mistake|mistaken|wrong|wait|oops|ups|hang on|hold on|change|update|correct|switch|should be|spelled|spelt|scratch that|changed my mind|on second thought|not .{1,40} but)\b|\bnew \p{L}+(?:: | is )/u;

/** Whether the text takes something back. Only such a text may replace earlier values. */
export function isCorrection(text: string): boolean {
  const start = text.slice(0, 500).toLowerCase().replaceAll('’', "'");
  return correcting.test(start) || /^(?:no|nope)\b/u.test(phraseOf(start));
}

/** Removes the words that announce a correction: "no, my name is Bob" becomes "my name is Bob". */
export function withoutCorrectionCue(text: string): string {
  return text.replace(cues, '').replace(/[\s,.]+(?:oh|sorry|actually|btw)[\s,]*$/iu, '');
}

/** The words that announce a correction. */
export const cues =
  /^\s*(?:(?:no|nope|oh|oops|ups|wait|sorry|actually|scratch that|i (?:have |['’]?ve )?changed my mind|on second thoughts?|or rather|correction|i meant|i mean|wrong|hang on|hold on|my mistake|my bad|it['’]?s spel(?:led|t)|pardon|non|nein|não|warte|espera|aspetta|attends|perdón|scusa|scusi|desculpe?|entschuldigung|ich meine|je veux dire|quiero decir|voglio dire|quer dizer)(?!\p{L})[\s,.:;!-]{0,9})+/iu;

const sentenceStart =
  /^(?:it['’]?s|it is|that['’]?s|that is|it should be|that should be|it should have been|it was|to say|make (?:it|that))\s+(?:actually |really |rather )?/iu;

/** A value that replaces something the person said before. */
export interface Correction {
  readonly value: string;
  /** The replaced value, if the person names it. */
  readonly old?: string;
  /** Whether it is certainly a correction. "No" and "actually" may also begin an answer. */
  readonly isPlain: boolean;
}

/** The correction in a short text: "no, I meant Berlin", "sorry, not Monday but Tuesday", "actually it's 4712-B". */
export function readCorrection(message: string): Correction | undefined {
  const text = message.trim();
  if (text.length > 200) return undefined;
  const cue = cues.exec(text)?.[0] ?? '';
  const rest = text.slice(cue.length).replace(/[\s.!)]{1,9}$/u, '');
  const replaced =
    /^(?:it['’]?s |it is |i (?:said|meant) )?not ([^.!?]{1,80}?),? (?:but|it['’]?s|it is|rather)(?: rather)? (.{1,100})$/iu.exec(
      rest,
    );
  if (replaced) return { old: replaced[1] ?? '', value: replaced[2] ?? '', isPlain: true };
  const swapped =
    /^(.{1,100}?)((?:[ (,]{1,3}(?:and |but )?no)?, (?:and )?not|,? not|,? instead of|,? rather than) (.{1,80})$/iu.exec(
      rest,
    );
  const isMeant = /\b(?:i meant?|spelled|spelt|correction|my (?:mistake|bad))\b/iu.test(cue);
  if (swapped && isSwap(swapped[1] ?? '', swapped[2] ?? '', cue)) {
    const value = (swapped[1] ?? '').replace(sentenceStart, '');
    return { value, old: swapped[3] ?? '', isPlain: true };
  }
  if (cue.trim() === '' || rest === '') return undefined;
  const value = rest.replace(sentenceStart, '');
  const isSorry = /\b(?:sorry|oops|ups|wait|actually)\b/iu.test(cue) && value !== rest;
  return { value, isPlain: isMeant || isSorry };
}

/** Whether one value replaces another: in "Berlin, not Hamburg", but not in "I do not know" or "that's not it". */
function isSwap(value: string, joint: string, cue: string): boolean {
  const named = value.replace(sentenceStart, '');
  if (named === '' || named.split(/\s+/u).length > 5) return false;
  if (/^(?:i|it|that|this|we|you|they|do|does|is|there|why|of course)\b/iu.test(named))
    return false;
  return cue !== '' || joint.startsWith(',') || / (?:of|than)$/iu.test(joint);
}
