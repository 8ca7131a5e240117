import type { Json, JsonObject } from '@dramaturg/compiler';
import type { World } from '@dramaturg/compiler/machine';
import type { Evaluation } from '../../src/data/evaluation.ts';
import { compileQuery } from '../../src/data/template.ts';

/** A deterministic world. */
export const world: World = {
  now: () => Date.UTC(2026, 0, 20, 10, 30),
  random: () => 0.5,
  uuid: () => '00000000-0000-4000-8000-000000000000',
};

export function evaluation(
  data: Json,
  { dialect = 'amazon', context = {}, variables = {} }: Partial<Evaluation> = {},
): Evaluation {
  return { dialect, data, context, variables, world };
}

/** The value of a path or a call. */
export function query(
  text: string,
  data: Json = {},
  more: Partial<Evaluation> & { readonly context?: JsonObject } = {},
): Json {
  const given = evaluation(data, more);
  return compileQuery(text, given.dialect)(given);
}
