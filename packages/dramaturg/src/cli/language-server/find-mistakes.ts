import type { Diagnostic } from '@dramaturg/compiler';
import { check } from '../../compile.ts';
import { findingsOutside, partsOf } from '../definition-parts.ts';
import { unknownDefinitions } from '../unknown-definitions.ts';

/**
 * All findings of `dramaturg check` in a text: in the definition that it is, or in those inside it. Files that it imports are read
 * from the disk.
 *
 * @param format the name of its format; undefined for a text that is not a definition
 */
export async function findMistakes(
  text: string,
  file: string,
  format: string | undefined,
): Promise<readonly Diagnostic[]> {
  const given = format === undefined ? {} : { format };
  const { parts, container } = await partsOf(text, file, given, unknownDefinitions);
  if (!container && format === undefined) return [];
  const outside = container ? findingsOutside(container, parts).diagnostics : [];
  // A definition in another file is checked when that file is open.
  const inside = parts.flatMap((part) =>
    part.text === undefined || part.elsewhere ? [] : check(part.text, part.options).diagnostics,
  );
  return [...outside, ...inside];
}
