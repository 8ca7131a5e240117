import type { AnyFormat } from '../detect.ts';
import type { Path } from '../path.ts';
import type { Span } from '../read/positions.ts';
import type { AuthoredText } from './authored-text.ts';
import { type DeclaredName, namesIn, namesKnownAt, referencesAt } from './names.ts';

/** The text of a token without its quotes. */
export function textOfToken(text: string, { start, end }: Span): string {
  return text.slice(start, end).replace(/^(["'])(.*)\1$/s, '$2');
}

/** The path of the key or value under the cursor. */
export function pathOfToken({ cursor }: AuthoredText, name: string): Path {
  return cursor.part === 'key' ? [...cursor.path, name] : cursor.path;
}

/** The declared part that the name under the cursor declares, or refers to. */
export function nameUnderCursor(
  text: string,
  format: AnyFormat,
  authored: AuthoredText,
): DeclaredName | undefined {
  const { authoring } = format;
  if (!authoring) return undefined;
  const { cursor, value } = authored;
  const name = textOfToken(text, cursor.token);
  const path = pathOfToken(authored, name);
  const names = namesIn(value, authoring);
  const isHere = (one: DeclaredName) =>
    one.part === cursor.part &&
    one.path.length === path.length &&
    one.path.every((step, at) => step === path[at]);
  const own = names.find(isHere);
  if (own) return own;
  return referencesAt(path, cursor.part, authoring)
    .flatMap(({ noun }) => namesKnownAt(path, noun, names))
    .find((one) => one.name === name);
}
