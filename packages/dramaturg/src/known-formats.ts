import type { AnyFormat, FormatKind } from '@dramaturg/compiler';
import * as list from './formats.ts';

/** Every format, in the order of their names. */
export const formats: readonly AnyFormat[] = Object.values(list);

export function formatNamed(name: string | undefined): AnyFormat | undefined {
  return formats.find((format) => format.name === name);
}

export function kindOf(name: string | undefined): FormatKind | undefined {
  return formatNamed(name)?.kind;
}
