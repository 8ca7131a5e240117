import type { AnyFormat } from '@dramaturg/compiler';
import type { FormatKind } from '@dramaturg/compiler/format';
import * as list from '#formats';

/**
 * Every format, in the order of their names.
 *
 * @example
 * ```ts
 * console.log(formats.map(({ name }) => name).join(', ')); // → asl, context-graph, lifecycle, npc, plan
 * ```
 */
export const formats: readonly AnyFormat[] = Object.values(list);

export function formatNamed(name: string | undefined): AnyFormat | undefined {
  return formats.find((format) => format.name === name);
}

export function kindOf(name: string | undefined): FormatKind | undefined {
  return formatNamed(name)?.kind;
}

/** The formats that a definition in a file can have: the one with the suffix of the file, or else all. */
export function formatsOf(file: string = ''): readonly AnyFormat[] {
  const name = file.toLowerCase();
  const named = formats.find(({ suffixes }) => suffixes.some((suffix) => name.endsWith(suffix)));
  return named ? [named] : formats;
}
