import type { Json } from '../json.ts';
import type { DefinitionPart } from './definition-part.ts';

/** The content of a part, as a list of words that are counted. */
export type PartWords = ReadonlyMap<string, number>;

/** The words in a part, at any depth. Its own name does not count, and neither do fields that name other parts. */
export function wordsIn(
  part: DefinitionPart,
  references: Readonly<Record<string, string>>,
): PartWords {
  const words = new Map<string, number>();
  const add = (word: string) => words.set(word, (words.get(word) ?? 0) + 1);
  const visit = ({ fields, lists }: DefinitionPart): void => {
    for (const [name, { value }] of fields)
      if (!Object.hasOwn(references, name))
        for (const word of wordsOf(value)) add(`${name} ${word}`);
    for (const [list, parts] of lists) {
      for (const inner of parts) {
        add(`${list} ${inner.name}`);
        visit(inner);
      }
    }
  };
  visit(part);
  return words;
}

/** How much two parts have in common: 0 is nothing, 1 is all. */
export function similarityOf(one: PartWords, other: PartWords): number {
  const [all, common] = [sizeOf(one) + sizeOf(other), commonWords(one, other)];
  return all === 0 ? 0 : (2 * common) / all;
}

/** How many words two parts have in common. */
export function commonWords(one: PartWords, other: PartWords): number {
  let common = 0;
  for (const [word, count] of one) common += Math.min(count, other.get(word) ?? 0);
  return common;
}

function sizeOf(words: PartWords): number {
  let size = 0;
  for (const count of words.values()) size += count;
  return size;
}

/** Empty values are defaults, and say nothing about what a part is. */
function wordsOf(value: Json): readonly string[] {
  if (typeof value === 'string') return value.split(/\s+/).filter(Boolean);
  if (value === null || value === false) return [];
  if (Array.isArray(value) && value.length === 0) return [];
  return [JSON.stringify(value)];
}
