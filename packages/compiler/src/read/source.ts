import type { Diagnostic, Range } from '../diagnostic.ts';
import type { Path } from '../json.ts';
import { type Findings, maxFindingsOfAKind } from './findings.ts';
import { controlCharacter } from './problems.ts';

/** A parsed text: its value, and the location of each part of the value. */
export interface Source {
  readonly text: string;
  /** Plain JSON data (no cycles, no shared parts, no key `__proto__`); undefined when nothing could be read. */
  readonly value: unknown;
  /** The problems of the text, by position. */
  readonly diagnostics: readonly Diagnostic[];
  /**
   * The range of the value at a path, or of the key that names it. For a path that leads nowhere, the range of its deepest part
   * that exists: a missing field is reported at the object that lacks it.
   */
  locate(path: Path, part?: 'value' | 'key'): Range;
}

/**
 * Limits that keep the reading of any text under a second and under 200 MB. Texts written by people are far shorter.
 * `test/read-hostile.test.ts` repeats the measurements at full size.
 */

/** UTF-16 units. */
export const maxLength = 5_000_000;

/** YAML costs ten times as much to read as JSON, and a double-quoted string in it 32 bytes for each character. */
export const maxYamlLength = 1_000_000;

/** Levels of nested objects and lists. The parsers and all later phases recurse. */
export const maxDepth = 100;

/** Values in one JSON text. */
export const maxValues = 600_000;

/** Lexical parts of one YAML text: a line `key: value` has six. */
export const maxYamlTokens = 200_000;

/** Values that aliases and merges add to one YAML text. */
export const maxRepeated = 100_000;

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
