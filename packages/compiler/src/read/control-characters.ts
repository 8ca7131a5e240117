import { maxFindingsOfAKind, type Findings } from './findings.ts';
import { controlCharacter } from './problems.ts';

// Tab, line feed and carriage return are the only ones that JSON and YAML allow as they are.
const forbidden = '[\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F]';

/**
 * Reports each and gives the text with a space in its place, so that the parser finds only what else is wrong and all
 * offsets hold. Undefined when there are so many that this is hardly a text.
 */
export function withoutControlCharacters(text: string, findings: Findings): string | undefined {
  let count = 0;
  for (const { 0: character, index } of text.matchAll(new RegExp(forbidden, 'g'))) {
    count += 1;
    if (count > maxFindingsOfAKind) return undefined;
    findings.add(controlCharacter(character), { start: index, end: index + 1 });
  }
  return count === 0 ? text : text.replace(new RegExp(forbidden, 'g'), ' ');
}
