import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { ContextMaker, FormField, Opening } from '@dramaturg/compiler/format';
import { unknownFields } from '@dramaturg/compiler/shapes';
import { readConversationInput, refuseInput } from '@dramaturg/conversation';
import { freshVisit, own, type PlanContext } from '../context.ts';
import { isScalar, toNumber } from '../value.ts';

/** Fields of the actor's input besides those that every conversation has. */
export const inputFields = ['session'];

/** The settings of a plan for the beginning of a conversation. */
export interface PlanStart {
  readonly initial_state_id: string;
  readonly session_context: readonly FormField[];
  readonly opening: Opening;
  readonly endless?: true;
}

/**
 * The first context. Required session fields must be in the actor's input.
 *
 * @throws InputError with every field that is missing, unknown or does not fit
 */
export const start: ContextMaker<PlanContext, PlanStart> = ({ input }, params) => {
  const { fields, conversation, opening, problems } = readConversationInput(input, inputFields);
  const session = readSession(fields['session'], params.session_context, problems);
  refuseInput(problems, 'Pass { session: { ... } } as the input of the actor.');
  return {
    conversation,
    opening: opening ?? params.opening,
    session,
    state: params.initial_state_id,
    visit: freshVisit,
    visited: [],
    tasks: {},
    deliverables: {},
    turn: 0,
    messages: 0,
    message: null,
    inbox: [],
    addressed: params.initial_state_id,
    noted: 'nothing',
    refused: [],
    cameFrom: null,
    lastState: params.initial_state_id,
    ...(params.endless && { endless: true }),
    outcome: null,
    reason: null,
  };
};

function readSession(input: unknown, fields: readonly FormField[], problems: string[]): JsonObject {
  if (input !== undefined && !isRecord(input)) problems.push('"session" must be an object');
  const given = isRecord(input) ? input : {};
  const session: [string, Json][] = [];
  for (const field of fields) {
    const value = Object.hasOwn(given, field.id) ? given[field.id] : field.default_value;
    if (value === undefined || value === null || value === '') {
      if (field.required) problems.push(`"${field.id}" (${field.label}) is missing`);
      continue;
    }
    const fitting = fit(value, field);
    if (fitting === undefined) problems.push(`"${field.id}" must be ${whatItIs(field)}`);
    else session.push([field.id, fitting]);
  }
  const known = fields.map(({ id }) => id);
  problems.push(...unknownFields(given, known, 'session'));
  return Object.fromEntries(session);
}

function fit(value: unknown, { type, options }: FormField): Json | undefined {
  switch (type) {
    case 'number':
      return toNumber(value);
    case 'boolean':
      return isScalar(value) ? own({ true: true, false: false }, String(value)) : undefined;
    case 'select':
      return options.find((option) => option === value);
    case 'string':
      return isScalar(value) ? String(value) : undefined;
  }
}

function whatItIs({ type, options }: FormField): string {
  if (type === 'select') return `one of ${options.map((option) => `"${option}"`).join(', ')}`;
  return { number: 'a number', boolean: 'true or false', string: 'a text' }[type];
}
