import type { JsonObject } from '@dramaturg/compiler';
import type { Deliverable, ValueType } from '../definition.ts';
import { anyText, fittingSamples, hasLimits, whatItIs } from '../value.ts';

/**
 * The JSON Schema of a deliverable's value, with its author's description. Limits are only in words: a value beyond them is
 * accepted here and refused later, so that the person learns why.
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
  // Models and the understudy turn "next Friday" into a date.
  return { type, ...(format === 'date' && { format }) };
}

/** The schema with its limits, for code that asks for the value or uses it. */
export function limitedSchema(deliverable: Deliverable): JsonObject {
  const { format, ...samples } = Object(samplesMark(deliverable)['x-limits']) as JsonObject;
  const limits = limitsOf(deliverable);
  const mark = format !== undefined && !limits['format'] && { 'x-limits': { format } };
  return { ...valueSchema(deliverable), ...limits, ...samples, ...mark };
}

function limitsOf(valueType: ValueType): JsonObject {
  const { type, pattern, format, minimum, maximum, min_length, max_length, items } = valueType;
  const ofList = type === 'list';
  const limits = {
    pattern,
    // JSON Schema has no format for phone numbers, and its time needs more than people say.
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

/**
 * Marks a schema with valid values, for trying out a plan, and with its format and pattern, for the understudy. Models do not get the mark:
 * JSON Schema wants seconds, a zone or a scheme, which people leave out.
 */
export function samplesMark(deliverable: Deliverable): JsonObject {
  if (!hasLimits(deliverable)) return {};
  const { minimum, maximum, examples, format, pattern } = deliverable;
  return {
    'x-limits': {
      ...(format !== undefined && format !== 'date' && { format }),
      ...(pattern !== undefined && { pattern }),
      ...(minimum !== undefined && { minimum }),
      ...(maximum !== undefined && { maximum }),
      examples: fittingSamples(deliverable, examples),
    },
  };
}
