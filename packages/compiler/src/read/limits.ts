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
