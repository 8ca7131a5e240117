import type { Range } from '../diagnostic.ts';
import { read } from '../read/read.ts';
import { authoredText, type AuthoringOptions } from './authored-text.ts';
import { nameUnderCursor } from './name-under-cursor.ts';

/**
 * The place that declares the name at an offset; undefined where no known name is. Never throws.
 *
 * @example
 * ```ts
 * const workflow = 'StartAt: Pay\nStates:\n  Pay: { Type: Succeed }';
 * console.log(definitionAt(workflow, workflow.indexOf('Pay'), { formats })?.start.line); // → 3
 * ```
 */
export function definitionAt(
  text: string,
  offset: number,
  options: AuthoringOptions,
): Range | undefined {
  const authored = authoredText(text, offset, options);
  const [format] = authored?.formats ?? [];
  const found = authored && format && nameUnderCursor(text, format, authored);
  if (!found) return undefined;
  const source = read(text, { language: authored.language });
  return source.locate(found.path, found.part);
}
