import type { EventObject } from '@dramaturg/compiler';

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
