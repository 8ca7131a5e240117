import { excerpt } from './words.ts';

const digitWords = 'zero one two three four five six seven eight nine'.split(' ');

/** A piece of a number that names something: 4711-B, AB, 12/34. */
const piece = /[\p{L}\p{N}]{1,40}(?:[-/.#_][\p{L}\p{N}]{1,40}){0,8}/gu;

export interface Identifier {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Every account number, order number or the like in a text: it has a digit, and may be written in groups: "AB 12 34". */
export function readIdentifiers(text: string): Identifier[] {
  const searched = excerpt(text);
  const found: Identifier[] = [];
  let run: { start: number; end: number } | undefined;
  const close = () => {
    if (run === undefined) return;
    const whole = searched.slice(run.start, run.end);
    if (/\d/u.test(whole)) found.push({ text: whole, ...run });
    run = undefined;
  };
  for (const { 0: word, index } of searched.matchAll(piece)) {
    const belongs = /\d/u.test(word) || /^\p{Lu}{1,4}$/u.test(word);
    if (!belongs || /^(?:I|A|NO|OK|ID)$/u.test(word)) close();
    else if (run !== undefined && searched.slice(run.end, index) === ' ')
      run.end = index + word.length;
    else {
      close();
      run = { start: index, end: index + word.length };
    }
  }
  close();
  return found.length > 0 ? found : spelledOut(searched);
}

/** "four seven one one" is 4711. */
function spelledOut(text: string): Identifier[] {
  const match =
    /\b(?:(?:zero|one|two|three|four|five|six|seven|eight|nine)[ ,-]{1,2}){2,30}(?:zero|one|two|three|four|five|six|seven|eight|nine)\b/iu.exec(
      text,
    );
  if (match === null) return [];
  const digits = match[0]
    .toLowerCase()
    .split(/[ ,-]+/u)
    .map((word) => digitWords.indexOf(word));
  return [{ text: digits.join(''), start: match.index, end: match.index + match[0].length }];
}
