import type { Problem } from './diagnostic.ts';
import { nearestName, withBoundedComparisons } from './words.ts';
import type { Format } from './format.ts';
import { ambiguousFormat, noSuchFormat, unknownFormat } from './format-problems.ts';
import { isRecord, type Path } from './json.ts';
import { fieldsOf } from './shape-schema.ts';

/** A format of any definition and options. */
// oxlint-disable-next-line typescript/no-explicit-any -- Definition and options are matched within each format.
export type AnyFormat = Format<any, any>;

export interface DetectHints {
  /** The name of the format, if the user names one. */
  readonly format?: string | undefined;
  /** The file name, because its suffix may name the format. */
  readonly fileName?: string | undefined;
}

/**
 * Finds the format of a definition: the named one, else the one with the file's suffix, else the one that recognises the
 * most signs in the value.
 */
export function detect(
  value: unknown,
  formats: readonly AnyFormat[],
  { format: name, fileName }: DetectHints,
): { format: AnyFormat } | { problem: Problem; path?: Path } {
  if (name !== undefined) {
    const format = formats.find((candidate) => candidate.name === name);
    return format
      ? { format }
      : {
          problem: noSuchFormat(
            name,
            formats.map((candidate) => candidate.name),
          ),
        };
  }
  const lowerName = fileName?.toLowerCase() ?? '';
  const bySuffix = formats.find(({ suffixes }) =>
    suffixes.some((suffix) => lowerName.endsWith(suffix)),
  );
  if (bySuffix) return { format: bySuffix };

  const judged = formats.map((format) => ({ format, recognition: format.recognise(value) }));
  const candidates = judged.flatMap(({ format, recognition }) =>
    recognition.matches ? [{ format, signs: recognition.signs }] : [],
  );
  candidates.sort((a, b) => b.signs.length - a.signs.length);
  const [first, second] = candidates;
  if (!first) {
    const slip = withBoundedComparisons(() => misspeltField(value, formats));
    return {
      ...(slip ? { path: [slip.field] } : {}),
      problem: unknownFormat(
        judged.map(({ format, recognition }) => ({
          title: format.title,
          because: recognition.matches ? '' : recognition.because,
        })),
        slip,
      ),
    };
  }
  if (second && second.signs.length === first.signs.length) {
    const tied = candidates.filter(({ signs }) => signs.length === first.signs.length);
    return {
      problem: ambiguousFormat(
        tied.map(({ format, signs }) => ({ name: format.name, title: format.title, signs })),
      ),
    };
  }
  return { format: first.format };
}

/** A top-level field that is probably a misspelling of a field of some format. */
function misspeltField(
  value: unknown,
  formats: readonly AnyFormat[],
): { field: string; known: string } | undefined {
  if (!isRecord(value)) return undefined;
  const known = new Set(formats.flatMap((format) => Object.keys(fieldsOf(format.shape(value)))));
  for (const field of Object.keys(value)) {
    const near = known.has(field) || field.length < 4 ? undefined : nearestName(field, known);
    if (near !== undefined && !Object.hasOwn(value, near)) return { field, known: near };
  }
  return undefined;
}
