import type { JsonObject } from '@dramaturg/compiler';
import type { DataTypes } from '@dramaturg/compiler/format';
import { defined, groupedBy, inputAndOutput, usualOutcomes } from '@dramaturg/conversation';
import type { Deliverable, Plan, SessionField } from './definition.ts';
import { allDeliverables } from './plan-graph.ts';
import type { ValueType } from './shape.ts';
import { anyText, fittingSamples, hasLimits, whatItIs } from './value.ts';

/** The types of a plan's deliverables, of the answers to its form, and of the actor's input and output. */
export function dataTypes(plan: Plan): DataTypes {
  const { states, session_context: fields } = plan;
  const deliverables = allDeliverables(plan);
  const needsSession = fields.some(isNeeded);
  return {
    State: { enum: states.map(({ id }) => id), description: 'The ids of the states.' },
    Deliverables: {
      type: 'object',
      description: 'The values that are collected; each is missing until it is known.',
      properties: valuesByKey(deliverables),
      // A goal state also keeps undeclared values.
      ...(states.some(({ type }) => type === 'goal') && { additionalProperties: {} }),
    },
    Session: {
      type: 'object',
      description: 'The answers to the form.',
      properties: Object.fromEntries(fields.map((field) => [field.id, answerSchema(field)])),
      required: fields.filter(isNeeded).map(({ id }) => id),
    },
    ...inputAndOutput(
      {
        properties: { session: { $ref: '#/definitions/Session' } },
        required: needsSession ? ['session'] : [],
      },
      {
        properties: {
          outcome: { enum: outcomesOf(plan) },
          deliverables: { $ref: '#/definitions/Deliverables' },
          volunteered: {
            $ref: '#/definitions/Deliverables',
            description: 'Values that were said before their turn.',
          },
        },
        required: ['deliverables'],
      },
    ),
  };
}

/** How a plan can end. */
export function outcomesOf({ states, transitions = [] }: Plan): string[] {
  const all = [...transitions, ...states.flatMap((state) => state.transitions)];
  const own = all.flatMap(({ outcome }) => outcome ?? []);
  return [...new Set([...usualOutcomes, ...own])];
}

/** A key that is declared several times has any of its types. */
function valuesByKey(deliverables: readonly Deliverable[]): JsonObject {
  const byKey = groupedBy(deliverables, ({ key }) => key);
  const schemas = Array.from(byKey, ([key, declared]): [string, JsonObject] => {
    const all = declared.map(limitedSchema);
    return [key, all.length === 1 ? all[0]! : { anyOf: all }];
  });
  return Object.fromEntries(schemas);
}

function isNeeded({ required, default_value }: SessionField): boolean {
  return required && default_value === undefined;
}

function answerSchema({ type, options, label, description }: SessionField): JsonObject {
  const words = description || label;
  const described = words === '' ? {} : { description: words };
  return type === 'select' ? { enum: [...options], ...described } : { type, ...described };
}

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
  return defined(limits);
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
