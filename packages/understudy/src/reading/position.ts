const ordinals = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');
const numbers = 'one two three four five six seven eight nine ten'.split(' ');

const leadIn =
  /^(?:(?:i['’]d like|i would like|i['’]ll take|i will take|i take|i want|i choose|i pick|i go for|let['’]s take|give me|it['’]s|it is) )/u;

/** "2", "option 2", "#2", "number two", "b)", "the second one, please", "last": an index below `count`, when the text is only that. */
export function readPosition(text: string, count: number): number | undefined {
  if (text.length > 60) return undefined;
  const said = text
    .trim()
    .toLowerCase()
    .replace(/[\s.!),]+$/u, '')
    .replace(/,? (?:please|thanks|thank you)$/u, '')
    .replace(leadIn, '');
  const bare = said
    .replace(/^(?:(?:the|option|number|choice|answer|no\.|nr\.|#) ?)*/u, '')
    .replace(/ (?:one|option|choice|of them|of these|of those)$/u, '');
  const index = indexOf(bare, count, bare !== said);
  return index >= 0 && index < count ? index : undefined;
}

/** @param isCounted whether words such as "number" or "the" show that a place in the list is meant */
function indexOf(said: string, count: number, isCounted: boolean): number {
  if (said === 'last' || (said === 'latter' && count === 2)) return count - 1;
  if (said === 'former' && count === 2) return 0;
  const digits = /^(\d{1,3})(?:st|nd|rd|th)?$/u.exec(said)?.[1];
  if (digits !== undefined) return Number(digits) - 1;
  if (/^[a-z]$/u.test(said)) return said.charCodeAt(0) - 'a'.charCodeAt(0);
  const ordinal = ordinals.indexOf(said);
  return ordinal < 0 && isCounted ? numbers.indexOf(said) : ordinal;
}
