import type { EventObject, Path } from '@dramaturg/compiler';
import type { Problem, Report } from '@dramaturg/compiler/format';

/**
 * Reports each name that an earlier part has, too.
 *
 * @param parts the names with their places, in order; blank names are left out
 */
export function reportDuplicates(
  parts: readonly { readonly name: string; readonly path: Path; readonly at?: 'key' }[],
  problemOf: (name: string) => Problem,
  report: Report,
): void {
  const first = new Map<string, Path>();
  for (const { name, path, at } of parts) {
    const earlier = first.get(name);
    if (earlier && name.trim() !== '')
      report(problemOf(name), path, {
        ...(at && { at }),
        related: [{ path: earlier, message: 'First declared here.' }],
      });
    first.set(name, earlier ?? path);
  }
}

/** `update.refused` for each field of an extracted value that the format does not read: no field is dropped in silence. */
export function refusedFields(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  state: string,
): EventObject[] {
  const list = known.map((name) => `"${name}"`).join(', ');
  return Object.entries(value).flatMap(([what, part]) =>
    part === null || part === undefined || known.includes(what)
      ? []
      : [
          {
            type: 'update.refused',
            what,
            because: `"${what}" was not asked for; there are the fields ${list}.`,
            state,
          },
        ],
  );
}
