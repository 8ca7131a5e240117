const ordinals = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');

/** "2", "option 2", "#2", "b)", "the second one", "last": an index below `count`, when the text is only that. */
export function readPosition(text: string, count: number): number | undefined {
  if (text.length > 40) return undefined;
  const said = text
    .trim()
    .toLowerCase()
    .replace(/[\s.!)]+$/u, '');
  const bare = said
    .replace(/^(?:(?:the|option|number|choice|answer|no\.|nr\.|#) ?)*/u, '')
    .replace(/ (?:one|option|choice)$/u, '');
  const index = indexOf(bare, count);
  return index >= 0 && index < count ? index : undefined;
}

function indexOf(said: string, count: number): number {
  if (said === 'last') return count - 1;
  const digits = /^(\d{1,3})(?:st|nd|rd|th)?$/u.exec(said)?.[1];
  if (digits !== undefined) return Number(digits) - 1;
  return /^[a-z]$/u.test(said) ? said.charCodeAt(0) - 'a'.charCodeAt(0) : ordinals.indexOf(said);
}
