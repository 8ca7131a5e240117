import type { Json, JsonObject } from '@dramaturg/compiler';
import * as z from 'zod';

/** Not checked: values that were parsed as JSON are JSON. */
export const json = z.unknown() as z.ZodType<Json>;
export const jsonObject = z.looseObject({}) as z.ZodType<JsonObject>;
export const text = z.string().min(1);
export const time = z.number();
/** The channel that defines the form of the contact. Without it, the contact is compared literally. */
export const channel = z.string().optional();
/** Who acts. Refused if a token says it. */
export const by = z.string().optional();

/** Values in a query are strings. */
export const wholeNumber = z.coerce.number().int();
export const flag = z.enum(['true', 'false']).transform((word) => word === 'true');
/** Words separated by commas. */
export const words = z.string().transform((given) => given.split(','));
/** Milliseconds since 1970 UTC, or a date in ISO 8601. */
export const timeText = z
  .string()
  .transform((given) => (/^-?\d+(\.\d+)?$/.test(given) ? Number(given) : Date.parse(given)))
  .pipe(time);

/** The fields for one page of a list. */
export function page(limitMax = 10_000) {
  return {
    after: z.string().optional(),
    limit: wholeNumber.min(1).max(limitMax).default(100),
  };
}

/** A definition that is sent with an order. */
export const definitionFile = z.strictObject({
  name: text,
  text: z.string(),
  fileName: z.string().optional(),
  format: z.string().optional(),
  options: jsonObject.optional(),
});

export type DefinitionFile = z.output<typeof definitionFile>;

/** Maps names in running instances to names in a new version. Spec: docs/versions.md */
export const migrationMap = z.strictObject({
  states: z.record(z.string(), z.string()).exactOptional(),
  data: z.record(z.string(), z.string().nullable()).exactOptional(),
  calls: z.enum(['keep', 'block']).exactOptional(),
});

/** One page of a list. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next: z.string().optional() });
}
