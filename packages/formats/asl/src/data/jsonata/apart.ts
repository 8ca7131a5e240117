import { engines } from '#engines';
import type { Json, JsonObject } from '@dramaturg/compiler';
import { StatesError } from '../states-error.ts';
import { Work } from '../work.ts';
import type { JsonataScope } from './evaluating.ts';

/** The request to evaluate an expression in a thread. */
export interface ApartRequest {
  readonly source: string;
  readonly what: string;
  readonly states: JsonObject;
  readonly variables: Readonly<Record<string, Json>>;
  readonly now: number;
  /** The seed of its random values. */
  readonly seed?: string | undefined;
  readonly units: number;
}

export type ApartAnswer =
  | { readonly value: Json; readonly units: number }
  | { readonly error: string; readonly units: number };

/** Evaluates an expression. When the step has taken long, it is decided again, with the answers so far. */
export function evaluateApart(
  source: string,
  what: string,
  scope: JsonataScope,
  seed: string | undefined,
  evaluate: (scope: JsonataScope) => Json,
): Json {
  const { states, variables, world, work = new Work() } = scope;
  const apart = world.apart?.();
  if (!apart) return evaluate(scope);
  const answer = apart.answer as ApartAnswer | undefined;
  if (answer) {
    work.spendInThread(answer.units);
    if ('value' in answer) return answer.value;
    throw new StatesError('States.QueryEvaluationError', answer.error);
  }
  const units = work.unitsLeft;
  work.onLong = () => {
    work.onLong = undefined;
    const input: ApartRequest = { source, what, states, variables, now: world.now(), seed, units };
    apart.leave({ module: engines().evaluationModule, input }, units - work.unitsLeft);
  };
  const keep = (own: { value: Json } | { error: string }) => {
    work.onLong = undefined;
    apart.keep({ ...own, units: units - work.unitsLeft } satisfies ApartAnswer);
  };
  try {
    const value = evaluate({ ...scope, work });
    keep({ value });
    return value;
  } catch (error) {
    keep({ error: (error as Error).message });
    throw error;
  }
}
