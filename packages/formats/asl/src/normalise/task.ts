import type { StateBase, Task } from '../definition/index.ts';
import { readStateBudget } from './budget.ts';
import { readInput, readLeads, readResult } from './state.ts';
import type { Reasoning } from '../definition/reasoning.ts';
import {
  given,
  isNumber,
  numberOf,
  objectOf,
  type Placed,
  type Reading,
  textOf,
} from './fields.ts';
import { readCache } from './cache.ts';
import { readContextWindow } from './context-window.ts';
import { readGuardrails } from './guardrails.ts';
import { readIdempotency } from './idempotency.ts';
import { readMemory } from './memory.ts';
import { readGeneration, readModel } from './model.ts';
import { readRecovery } from './retry.ts';
import { readStreaming } from './streaming.ts';
import { readTools } from './tools.ts';

export function readTask(base: StateBase, placed: Placed, reading: Reading): Task {
  const { value: fields } = placed;
  const amount = (name: string) => given(placed, name, isNumber, base.QueryLanguage);
  return {
    ...base,
    ...readInput(placed),
    ...readResult(placed),
    ...readRecovery(placed, reading),
    ...readLeads(placed),
    Type: 'Task',
    Agent: textOf(fields['Agent']),
    Resource: readResource(fields['Resource']),
    Credentials: objectOf(fields['Credentials']),
    TimeoutSeconds: amount('TimeoutSeconds'),
    HeartbeatSeconds: amount('HeartbeatSeconds'),
    Guardrails: readGuardrails(placed, reading),
    Memory: readMemory(placed, reading),
    Context: readContextWindow(placed, reading),
    Model: readModel(placed),
    Generation: readGeneration(placed),
    Streaming: readStreaming(placed),
    Idempotency: readIdempotency(placed),
    Cache: readCache(placed),
    Reasoning: readReasoning(fields['Reasoning']),
    Tools: readTools(placed, reading),
    Budget: readStateBudget(fields['Budget']),
  };
}

/** CloudFormation writes `{ "Ref": "Worker" }` or `{ "Fn::GetAtt": ["Worker", "Arn"] }` for what it knows by name. */
function readResource(written: unknown): string | undefined {
  const reference = objectOf(written);
  if (!reference) return textOf(written);
  const names = Object.values(reference).flat(2);
  return names.filter((name) => typeof name === 'string').join('.');
}

function readReasoning(written: unknown): Reasoning | undefined {
  const fields = objectOf(written);
  return (
    fields && {
      required: fields['Required'] === true,
      format: (textOf(fields['Format']) as Reasoning['format'] | undefined) ?? 'free_form',
      minSteps: numberOf(fields['MinSteps']),
      maxSteps: numberOf(fields['MaxSteps']),
      store: textOf(fields['Store']),
    }
  );
}
