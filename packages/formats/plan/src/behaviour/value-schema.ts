import type { JsonObject } from '@dramaturg/compiler';
import type { Deliverable } from '../definition.ts';

/** The JSON Schema of a deliverable's value, with what its author says about it. */
export function valueSchema({
  type,
  enum_values,
  description,
  acceptance_criteria,
  examples,
}: Deliverable): JsonObject {
  const words = [
    description,
    acceptance_criteria && `Accept only: ${acceptance_criteria}.`,
    examples.length > 0 && `For example: ${examples.slice(0, 5).join('; ')}.`,
  ].filter(Boolean);
  const described: JsonObject = words.length > 0 ? { description: words.join(' ') } : {};
  return type === 'enum'
    ? { type: 'string', enum: enum_values, ...described }
    : { type, ...described };
}
