import type { JsonObject } from '@dramaturg/compiler';
import type { Deliverable, ValueType } from '../definition.ts';
import { anyText, fittingSamples, hasLimits, whatItIs } from '../value.ts';

/**
 * The JSON Schema of a deliverable's value, with what its author says about it. Limits are in words: a value beyond them comes in
 * and is refused, so that the person hears why.
 */
export function valueSchema(deliverable: Deliverable): JsonObject {
  const { description, acceptance_criteria, examples } = deliverable;
  const words = [
    description,
    acceptance_criteria && `Accept only: ${acceptance_criteria}.`,
    hasLimits(deliverable) &&
      `It must be ${whatItIs(deliverable)}; an answer that is not is copied as it is.`,
    examples.length > 0 && `For example: ${examples.slice(0, 5).join('; ')}.`,
  ].filter(Boolean);
  return {
    ...typeSchema(deliverable),
    ...(words.length > 0 && { description: words.join(' ') }),
  };
}

function typeSchema({ type, enum_values, format, items = anyText }: ValueType): JsonObject {
  if (type === 'enum') return { type: 'string', enum: enum_values };
  if (type === 'list') return { type: 'array', items: typeSchema(items) };
  // Models and the understudy make a date of "next Friday".
  return { type, ...(format === 'date' && { format }) };
}

/** The same with its limits, for those who ask for the value or use it. */
export function limitedSchema(deliverable: Deliverable): JsonObject {
  const samples = samplesMark(deliverable)['x-limits'] as JsonObject | undefined;
  return { ...valueSchema(deliverable), ...limitsOf(deliverable), ...samples };
}

function limitsOf(valueType: ValueType): JsonObject {
  const { type, pattern, format, minimum, maximum, min_length, max_length, items } = valueType;
  const ofList = type === 'list';
  const limits = {
    pattern,
    // JSON Schema does not know phones, and wants more of a time than people say.
    format: format === 'url' ? 'uri' : format === 'date' || format === 'email' ? format : undefined,
    minimum,
    maximum,
    [ofList ? 'minItems' : 'minLength']: min_length,
    [ofList ? 'maxItems' : 'maxLength']: max_length,
    ...(ofList && items && { items: { ...typeSchema(items), ...limitsOf(items) } }),
  };
  return Object.fromEntries(
    Object.entries(limits).filter(([, limit]) => limit !== undefined),
  ) as JsonObject;
}

/** The mark of a schema with values that fit, for those who try a plan out. Models do not get it. */
export function samplesMark(deliverable: Deliverable): JsonObject {
  if (!hasLimits(deliverable)) return {};
  const { minimum, maximum, examples } = deliverable;
  return {
    'x-limits': {
      ...(minimum !== undefined && { minimum }),
      ...(maximum !== undefined && { maximum }),
      examples: fittingSamples(deliverable, examples),
    },
  };
}
