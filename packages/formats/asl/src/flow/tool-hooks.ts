import type { Json, JsonObject } from '@dramaturg/compiler';
import { compileTemplate } from '../data/template.ts';
import type { Dialect } from '../definition/index.ts';
import type { Hook } from '../definition/tools.ts';
import { verdictOf } from './guardrails.ts';
import { evaluation } from './jsonpath-flow.ts';
import type { Run } from './run.ts';

/** The input of a hook: its template, filled with the request and what came of it. Agent 4 §Hooks */
export function hookInput(
  { parameters }: Hook,
  run: Run,
  about: JsonObject,
  dialect: Dialect,
): Json {
  if (parameters === undefined) return about;
  return compileTemplate(parameters, dialect, 'Parameters')(evaluation(run, about));
}

/** Why a hook refuses; undefined when it does not. An answer without a verdict refuses nothing. */
export function refusalOfHook(result: Json): string | undefined {
  const verdict = verdictOf(result);
  return typeof verdict === 'object' ? verdict.because : undefined;
}
