import * as z from 'zod/mini';
import type { JsonObject } from '../json.ts';

/** A shape, and the JSON Schema of the values that are meant to have it. The last of a list has no condition. */
export interface Alternative {
  readonly when?: JsonObject;
  readonly shape: z.core.$ZodType;
}

/** Shapes of one part of a definition; the value decides which one applies. */
export interface Alternatives {
  /** The name of the part, so that a shape can contain itself. */
  readonly name?: string;
  readonly list: () => readonly Alternative[];
}

/**
 * A shape for editors that depends on the value. Its JSON Schema is a chain of `if`, so that an editor explains errors of the
 * shape that the author means, and not of all shapes.
 */
export function shapeByValue(list: readonly Alternative[], name?: string): z.ZodMiniType {
  return z
    .unknown()
    .check(z.meta(alternativesMeta({ list: () => list, ...(name !== undefined && { name }) })));
}

/** Adds the alternatives to the meta of a shape, because zod does not know them. */
export function alternativesMeta(alternatives: Alternatives): {
  readonly alternatives: Alternatives;
} {
  return { alternatives };
}
