import { nearestName } from './did-you-mean.ts';

/** The absent field that an unknown one is a slip of. Short names are not compared: too many are similar by chance. */
export function nearestAbsent(field: string, absent: Iterable<string>): string | undefined {
  return field.length > 3 ? nearestName(field, absent) : undefined;
}

/** The fields of a definition that are not known. The shape check reports misspelt ones, so they are left out. */
export function fieldsWithoutMeaning(fields: object, known: readonly string[]): string[] {
  const absent = known.filter((field) => !Object.hasOwn(fields, field));
  return Object.keys(fields).filter(
    (field) => !known.includes(field) && nearestAbsent(field, absent) === undefined,
  );
}
