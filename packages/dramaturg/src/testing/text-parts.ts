/** Compares texts with what an author writes in `said`. Spec: docs/testing.md#texts */

/**
 * Reads `/pattern/flags`.
 *
 * @returns undefined for a plain string
 * @throws SyntaxError for a pattern that is not valid
 */
export function readPattern(part: string): RegExp | undefined {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(part) ?? [];
  return source === undefined ? undefined : new RegExp(source, flags);
}

/** Whether a text has a part. A plain part matches regardless of case and white space. */
export function hasPart(text: string, part: string): boolean {
  return readPattern(part)?.test(text) ?? plain(text).includes(plain(part));
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().toLowerCase();
}
