/** A message as a word to compare: trimmed, in lower case, and without punctuation at its end. */
export function bareWord(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{P}]+$/u, '')
    .trim();
}
