/**
 * The bounds that keep any text, however made, under a second and under 200 MB. They are far beyond what people write;
 * the measurements behind them are repeated by `test/read-hostile.test.ts` at full size.
 */

/** UTF-16 units. */
export const maxLength = 5_000_000;

/** YAML costs ten times as much to read as JSON, and a double-quoted text of it 32 bytes for each character. */
export const maxYamlLength = 1_000_000;

/** Objects and lists in one another; the parsers recurse, and so does everything behind them. */
export const maxDepth = 100;

/** Values in one JSON text. */
export const maxValues = 600_000;

/** Lexical parts of one YAML text: a line `key: value` has six. */
export const maxYamlTokens = 200_000;

/** Values that aliases and merges add to one YAML text. */
export const maxRepeated = 100_000;
