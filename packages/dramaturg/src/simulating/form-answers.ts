import type { Compiled, Json, JsonObject } from '@dramaturg/compiler';
import type { FormField } from '@dramaturg/compiler/format';
import { answersOf, formIn } from '../cli/conversation/session.ts';
import { answerTo, type AnswerSource } from './answer.ts';
import type { Persona } from './persona.ts';

/** The input with answers to the form that comes before a conversation. Answers that are given stay. */
export function withFormAnswers(
  compiled: Compiled,
  input: JsonObject,
  persona: Persona,
  source: AnswerSource,
): JsonObject {
  const form = formIn(compiled);
  if (!form || form.fields.length === 0) return input;
  const given = answersOf(input, form.key);
  const answers = form.fields
    .filter(({ id, required }) => required && !Object.hasOwn(given, id))
    .map((field) => [field.id, answerFor(field, persona, source)] as const);
  return answers.length === 0
    ? input
    : { ...input, [form.key]: { ...Object.fromEntries(answers), ...given } };
}

function answerFor(
  { id, label, type, options }: FormField,
  { answers }: Persona,
  source: AnswerSource,
): Json {
  const own = Object.hasOwn(answers, id) ? answers[id] : undefined;
  if (own !== undefined) return Array.isArray(own) ? source.chance.of(own) : own;
  const schema = type === 'select' ? { enum: options } : { type };
  return answerTo({ name: id, question: label, schema }, source);
}
