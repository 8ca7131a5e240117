import type { Problem } from './diagnostic.ts';
import type { Format } from './format.ts';
import { ambiguousFormat, noSuchFormat, unknownFormat } from './format-problems.ts';

/** A format of any definition and options. */
// oxlint-disable-next-line typescript/no-explicit-any -- Definition and options are matched within each format.
export type AnyFormat = Format<any, any>;

export interface DetectHints {
  /** The name of the format, when the person says which it is. */
  readonly format?: string | undefined;
  /** The file's name: its suffix may settle the question. */
  readonly fileName?: string | undefined;
}

/**
 * Finds the format of a definition: the one that is named, else the one whose suffix the file has, else the only one
 * that recognises the shape, else the one that sees clearly more of its signs than any other.
 */
export function detect(
  value: unknown,
  formats: readonly AnyFormat[],
  { format: name, fileName }: DetectHints,
): { format: AnyFormat } | { problem: Problem } {
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
    return {
      problem: unknownFormat(
        judged.map(({ format, recognition }) => ({
          title: format.title,
          because: recognition.matches ? '' : recognition.because,
        })),
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
