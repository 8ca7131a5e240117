import type { EventObject, Path } from '@dramaturg/compiler';
import type { Problem, Recognition, Report } from '@dramaturg/compiler/format';
import type { ContextMigration } from '@dramaturg/compiler/machine';
import { own } from './context.ts';

/** Whether a value is a definition of a format: with signs of it, or why it is none. */
export function recognition(signs: readonly string[], because: string): Recognition {
  return signs.length > 0 ? { matches: true, signs } : { matches: false, because };
}

type NewNames = Parameters<ContextMigration['renamed']>[1];

/** Renames the parts of a stored conversation. Data without a new name is left out. */
export function renaming({ states, data }: NewNames) {
  const key = (name: string) => (Object.hasOwn(data, name) ? data[name]! : name);
  return {
    state: (name: string) => own(states, name) ?? name,
    keys: (names: readonly string[]) => names.flatMap((name) => key(name) ?? []),
    record: <Value>(
      record: Readonly<Record<string, Value>>,
      renamed: (value: Value) => Value = (value) => value,
    ): Record<string, Value> =>
      Object.fromEntries(
        Object.entries(record).flatMap(([name, value]) => {
          const newName = key(name);
          return newName === null ? [] : [[newName, renamed(value)]];
        }),
      ),
  };
}

/** Items by a name of theirs; of items with the same name, the first. */
export function firstBy<Item>(
  items: Iterable<Item>,
  nameOf: (item: Item) => string,
): Map<string, Item> {
  const first = new Map<string, Item>();
  for (const item of items) if (!first.has(nameOf(item))) first.set(nameOf(item), item);
  return first;
}

/** Items by a name of theirs, in order. */
export function groupedBy<Item>(
  items: Iterable<Item>,
  nameOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(nameOf(item));
    if (group) group.push(item);
    else groups.set(nameOf(item), [item]);
  }
  return groups;
}

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
