import type { JsonObject } from '@dramaturg/compiler';
import type { DataTypes } from '@dramaturg/compiler/format';
import { inputAndOutput } from '@dramaturg/conversation';
import { limitedSchema } from './behaviour/value-schema.ts';
import { allDeliverables } from './declarations.ts';
import type { Deliverable, Plan, SessionField } from './definition.ts';

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
  return [...new Set(['completed', 'cancelled', 'ended_by_agent', ...own])];
}

/** A key that is declared several times has any of its types. */
function valuesByKey(deliverables: readonly Deliverable[]): JsonObject {
  const byKey = new Map<string, JsonObject[]>();
  for (const one of deliverables)
    byKey.set(one.key, [...(byKey.get(one.key) ?? []), limitedSchema(one)]);
  const schemas = Array.from(byKey, ([key, all]) => [
    key,
    all.length === 1 ? all[0]! : { anyOf: all },
  ]);
  return Object.fromEntries(schemas) as JsonObject;
}

function isNeeded({ required, default_value }: SessionField): boolean {
  return required && default_value === undefined;
}

function answerSchema({ type, options, label, description }: SessionField): JsonObject {
  const words = description || label;
  const described = words === '' ? {} : { description: words };
  return type === 'select' ? { enum: [...options], ...described } : { type, ...described };
}
