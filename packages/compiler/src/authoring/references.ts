import type { Range } from '../diagnostic.ts';
import { read } from '../read/read.ts';
import { authoredText, type AuthoringOptions } from './authored-text.ts';
import { nameUnderCursor } from './name-under-cursor.ts';
import { usesOf } from './names.ts';

/**
 * All places of the name at an offset: the one that declares it, and those that use it. None where no known name is. Never
 * throws.
 *
 * @example
 * ```ts
 * const workflow = 'StartAt: Pay\nStates:\n  Pay: { Type: Succeed }';
 * console.log(referencesAt(workflow, 9, { formats }).map(({ start }) => start.line)); // → [ 3, 1 ]
 * ```
 */
export function referencesAt(
  text: string,
  offset: number,
  options: AuthoringOptions,
): readonly Range[] {
  const authored = authoredText(text, offset, options);
  const [format] = authored?.formats ?? [];
  const found = authored && format && nameUnderCursor(text, format, authored);
  if (!found || !format.authoring) return [];
  const source = read(text, { language: authored.language });
  return [found, ...usesOf(found, authored.value, format.authoring)].map(({ path, part }) =>
    source.locate(path, part),
  );
}
