/**
 * Escapes text so that Mermaid shows it unchanged. All but letters, digits and safe punctuation become numbered entities. So
 * do parts of list markers and of the words `direction LR`, which Mermaid interprets anywhere in a line.
 */
export function escaped(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[^\p{L}\p{N}\p{M} .,…!?'()[\]+=@/_-]/gu, entity)
    .replace(/\[\[|\]\]/g, (brackets) => Array.from(brackets, entity).join(''))
    .replace(/^(\d+)\.(?= )/, (_, number: string) => number + entity('.'))
    .replace(/^[-+](?= )/, entity)
    .replace(
      /directio(n)(?= +(?:TB|BT|RL|LR))/gi,
      (word) => word.slice(0, -1) + entity(word.at(-1)!),
    );
}

function entity(character: string): string {
  return `#${character.codePointAt(0)};`;
}
