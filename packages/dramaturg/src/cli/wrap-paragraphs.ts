/**
 * Breaks the paragraphs of a help text at words. Lines that belong together are joined first, because they are broken where the source
 * code needed it: a paragraph ends with an empty line, or with a line that ends a sentence. Indented lines, such as examples, stay.
 *
 * @param width in columns
 */
export function wrapParagraphs(text: string, width: number): string {
  return text
    .replaceAll(/(?<=^\S.*[^.:\n])\n(?=\S)/gm, ' ')
    .split('\n')
    .map((line) => (/^\s/.test(line) ? line : wrapped(line, width)))
    .join('\n');
}

/** A word that is longer than the width has a line of its own. */
function wrapped(line: string, width: number): string {
  const [first = '', ...words] = line.split(' ');
  let column = first.length;
  return words.reduce((text, word) => {
    const fits = column + 1 + word.length <= width;
    column = fits ? column + 1 + word.length : word.length;
    return `${text}${fits ? ' ' : '\n'}${word}`;
  }, first);
}
