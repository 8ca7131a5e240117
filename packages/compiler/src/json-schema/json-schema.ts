import * as z from 'zod/mini';
import type { EditorSchema } from '../format.ts';
import { isRecord, type JsonObject } from '../json.ts';
import type { Alternatives } from './alternatives.ts';
import { hoistRepeated } from './hoist-repeated.ts';
import { tidy } from './tidy.ts';

type Schema = Record<string, unknown>;

/**
 * Makes the JSON Schema (draft 7) of a format's definitions as authored, for editors. It refuses nothing that `check` accepts.
 * It cannot say what rules say, such as that a name exists.
 */
export function jsonSchemaOf({ title, description, shape, adapt }: EditorSchema): JsonObject {
  const parts = new Map<string, Schema>();
  const root = converted(shape, parts);
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title,
    description,
    ...root,
    ...(parts.size > 0 && { definitions: Object.fromEntries(parts) }),
  } as JsonObject;
  return hoistRepeated(tidy(adapt?.(schema) ?? schema));
}

function converted(shape: z.core.$ZodType, parts: Map<string, Schema>): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { alternatives, jsonSchema: written } = z.globalRegistry.get(zodSchema) ?? {};
      if (isAlternatives(alternatives)) {
        delete (jsonSchema as Schema)['alternatives'];
        Object.assign(jsonSchema, referenceTo(alternatives, parts));
      }
      if (isRecord(written)) {
        delete (jsonSchema as Schema)['jsonSchema'];
        Object.assign(jsonSchema, written);
      }
    },
  });
  return schema;
}

function isAlternatives(value: unknown): value is Alternatives {
  return isRecord(value) && typeof value['list'] === 'function';
}

/** A part with a name may contain itself, so it is written once and referred to by its name. */
function referenceTo({ name, list }: Alternatives, parts: Map<string, Schema>): Schema {
  if (name === undefined) return chainOf(list(), parts);
  if (!parts.has(name)) {
    parts.set(name, {});
    parts.set(name, chainOf(list(), parts));
  }
  // Draft 7 ignores what is next to "$ref", such as a description.
  return { allOf: [{ $ref: `#/definitions/${name}` }] };
}

function chainOf(
  [first, ...rest]: ReturnType<Alternatives['list']>,
  parts: Map<string, Schema>,
): Schema {
  if (!first) return {};
  const { when, shape } = first;
  const own = converted(shape, parts);
  // oxlint-disable-next-line unicorn/no-thenable -- A keyword of JSON Schema.
  return when === undefined ? own : { if: when, then: own, else: chainOf(rest, parts) };
}
