import { isRecord, type Json } from '@dramaturg/compiler';
import { compileWrite } from '../data/path/write.ts';
import { StatesError } from '../data/states-error.ts';
import type { State } from '../definition/index.ts';
import type { Reasoning } from '../definition/task-blocks.ts';

/** An answer without its reasoning, and the reasoning. */
interface ReasonedAnswer {
  readonly result: Json;
  readonly reasoning: Json | undefined;
}

/** The slice of the visit that `Reasoning` owns. */
export interface ReasoningVisit {
  /** The reasoning of the agent, when it is to be stored. */
  readonly reasoning: Json;
}

/**
 * Splits an answer `{ result, reasoning: { steps, conclusion } }`. Agent 5 §Reasoning
 *
 * @throws StatesError Agent.InvalidOutput when reasoning is required and missing, or has too few or too many steps
 */
export function splitReasoning(answer: Json, wanted: Reasoning): ReasonedAnswer {
  const reasoning = isRecord(answer) ? answer['reasoning'] : undefined;
  if (reasoning === undefined || !isRecord(answer)) {
    if (wanted.required) throw invalid('no reasoning');
    return { result: answer, reasoning: undefined };
  }
  const { reasoning: _, ...rest } = answer;
  const steps = isRecord(reasoning) ? reasoning['steps'] : reasoning;
  const count = Array.isArray(steps) ? steps.length : 0;
  if (count < (wanted.minSteps ?? 0)) throw invalid(`${count} steps, and needs ${wanted.minSteps}`);
  if (count > (wanted.maxSteps ?? Infinity)) {
    throw invalid(`${count} steps, and may have ${wanted.maxSteps}`);
  }
  return { result: 'result' in rest ? rest['result']! : rest, reasoning };
}

/** Puts the reasoning where `Store` says. A result that is not an object becomes the field `result` of one. */
export function compileReasoning(state: State): (data: Json, reasoning: Json | undefined) => Json {
  const path = state.Type === 'Task' ? state.Reasoning?.store : undefined;
  if (path === undefined) return (data) => data;
  const write = compileWrite(path);
  return (data, reasoning) =>
    reasoning === undefined ? data : write(isRecord(data) ? data : { result: data }, reasoning);
}

function invalid(what: string): StatesError {
  return new StatesError('Agent.InvalidOutput', `The answer of the agent has ${what}.`);
}
