import type { AnyFormat } from './detect.ts';
import type { Place } from './format.ts';
import type { PlaceholderValues } from './placeholders/fill.ts';
import { maxYamlLength, type Source } from './read/source.ts';
import { plainText } from './read/part.ts';
import { read } from './read/read.ts';

export interface PlacesOptions {
  readonly formats: readonly AnyFormat[];
  readonly fileName?: string | undefined;
  /** Values of placeholders. They override values that the file gives. */
  readonly values?: PlaceholderValues | undefined;
}

/** A file of another kind, and the definitions in it. The diagnostics of `file` include those inside of definitions. */
export interface Places {
  readonly file: Source;
  readonly places: readonly Place[];
}

/**
 * The definitions inside a file that is not a definition itself. Check or compile the `source` of each.
 *
 * @returns undefined when the file has none
 * @example
 * ```ts
 * const template = `
 * Resources:
 *   Approval:
 *     Type: AWS::StepFunctions::StateMachine
 *     Properties: { Definition: { StartAt: Pay, States: { Pay: { Type: Succeed } } } }`;
 * const found = placesIn(template, { formats: [asl], fileName: 'template.yaml' });
 * console.log(found?.places.map(({ name }) => name)); // → [ 'Approval' ]
 * ```
 */
export function placesIn(
  text: string,
  { formats, fileName, values = {} }: PlacesOptions,
): Places | undefined {
  for (const { name, places: finder } of formats) {
    if (!finder) continue;
    const isPlain = finder.suffixes.some((suffix) => fileName?.toLowerCase().endsWith(suffix));
    if (isPlain && text.length > maxYamlLength) continue;
    const file = isPlain
      ? plainText(text)
      : read(text, { placeholders: true, ...(fileName !== undefined && { fileName }) });
    const found = finder.find(file, values);
    if (!found || found.length === 0) continue;
    return { file, places: found.map((place) => ({ ...place, format: name })) };
  }
  return undefined;
}
