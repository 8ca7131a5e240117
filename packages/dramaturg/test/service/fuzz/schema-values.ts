import fc from 'fast-check';
import type { z } from 'zod';

/** Values for fields by their names, such as ids that exist. */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>;

type Def = z.core.$ZodTypeDef & Readonly<Record<string, unknown>>;

/** Values that a schema accepts as its input. */
export function valuesOf(schema: z.ZodType, known: Known, name = ''): fc.Arbitrary<unknown> {
  const def = schema.def as unknown as Def;
  const inner = (part: unknown, as = name) => valuesOf(part as z.ZodType, known, as);
  const hinted = Object.hasOwn(known, name) ? known[name] : undefined;
  switch (def.type) {
    case 'string':
      return hinted ? fc.oneof({ arbitrary: hinted, weight: 12 }, words) : words;
    case 'number':
      return hinted ?? fc.integer({ min: 1, max: 100 });
    case 'boolean':
      return fc.boolean();
    case 'literal':
      return fc.constantFrom(...(def['values'] as unknown[]));
    case 'enum':
      return fc.constantFrom(...Object.values(def['entries'] as object));
    case 'array':
      if (hinted) return hinted;
      return fc.array(inner(def['element']), { maxLength: 3 });
    case 'optional':
    case 'default':
    case 'nullable':
      return inner(def['innerType']);
    case 'pipe':
      return inner(def['in']);
    case 'union':
      return fc.oneof(
        ...(def['options'] as unknown[]).map((option, index) => ({
          arbitrary: inner(option),
          weight: index === 0 ? 4 : 1,
        })),
      );
    case 'lazy':
    case 'unknown':
      return hinted ?? fc.jsonValue({ maxDepth: 3 });
    case 'record':
      return hinted ?? fc.dictionary(words, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
    case 'object': {
      if (name !== '' && hinted && def['catchall'] === undefined) return hinted;
      const shape = def['shape'] as Readonly<Record<string, z.ZodType>>;
      if (Object.keys(shape).length === 0 && def['catchall'])
        return hinted ?? fc.dictionary(words, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
      const values = Object.entries(shape).map(([key, part]) => [key, inner(part, key)]);
      const requiredKeys = Object.keys(shape).filter(
        (key) => !shape[key]!.safeParse(undefined).success,
      );
      const fields = fc.record(
        Object.fromEntries(values) as Record<string, fc.Arbitrary<unknown>>,
        {
          requiredKeys,
        },
      );
      return hinted ? fc.oneof(hinted, fields) : fields;
    }
    default:
      throw new Error(`There are no values for schemas of the type ${def.type}.`);
  }
}

const words = fc.oneof(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string({ minLength: 1 }));
