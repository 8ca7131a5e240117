import { type Compiled, isRecord, type Path } from '@dramaturg/compiler';
import { unitsOf } from '@dramaturg/compiler/chart';
import type { Source } from '@dramaturg/compiler';

/** The place of a state in its definition; nothing when no author wrote it. */
export function statePlace(
  { chart, source }: Compiled,
  state: string,
): { readonly line?: number; readonly column?: number } {
  for (const { kind, label, path } of unitsOf(chart!).values())
    if (kind === 'state' && isNamed(source.value, path, label, state)) return placeOf(source, path);
  return {};
}

/** Formats name a state by its key in an object, or by a field. */
const nameFields = ['id', 'name', 'state_key', 'key'];

function isNamed(definition: unknown, path: Path, label: string, state: string): boolean {
  if (label === state || path.at(-1) === state) return true;
  const value = path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Object(inner)[key] : undefined),
    definition,
  );
  return isRecord(value) && nameFields.some((field) => value[field] === state);
}

/** The line and the column where the value at a path begins. */
export function placeOf(source: Source, path: Path): { line: number; column: number } {
  const { line, column } = source.locate(path).start;
  return { line, column };
}
