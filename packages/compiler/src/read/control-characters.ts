import { maxFindingsOfAKind, type Findings } from './findings.ts';
import { controlCharacter } from './problems.ts';

// JSON and YAML allow only tab, line feed and carriage return unescaped.
const forbidden = '[\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F]';

/**
 * Reports control characters and replaces each by a space, so that the parser reports only other problems and offsets stay
 * valid. Returns undefined when there are too many for a text.
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
