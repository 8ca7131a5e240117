import type { Part } from '../../authored.ts';
import type { StateBase, Task } from '../../definition/index.ts';
import type { Reasoning } from '../../definition/reasoning.ts';
import { readAudit } from '../../normalise/audit.ts';
import { readStateBudget } from '../../normalise/budget.ts';
import { readCache } from '../../normalise/cache.ts';
import { readContextWindow } from '../../normalise/context-window.ts';
import {
  readValueSource,
  isNumber,
  optionalNumber,
  optionalObject,
  optionalString,
} from '../../normalise/fields.ts';
import { readGuardrails } from '../../normalise/guardrails.ts';
import { readIdempotency } from '../../normalise/idempotency.ts';
import { readGeneration, readModel } from '../../normalise/model.ts';
import type { Reading } from '../../normalise/reading.ts';
import { readRecovery } from '../../normalise/retry.ts';
import { readInput, readLeads, readResult } from '../../normalise/state.ts';
import { readStreaming } from '../../normalise/streaming.ts';
import { readTools } from '../../normalise/tools.ts';
import { readMemory } from '../memory/reading.ts';

export function readTask(base: StateBase, authored: Part, reading: Reading): Task {
  const { value: fields } = authored;
  const amount = (name: string) => readValueSource(authored, name, isNumber, base.QueryLanguage);
  return {
    ...base,
    ...readInput(authored),
    ...readResult(authored),
    ...readRecovery(authored, reading),
    ...readLeads(authored),
    Type: 'Task',
    Agent: optionalString(fields['Agent']),
    Resource: readResource(fields['Resource']),
    Credentials: optionalObject(fields['Credentials']),
    TimeoutSeconds: amount('TimeoutSeconds'),
    HeartbeatSeconds: amount('HeartbeatSeconds'),
    Guardrails: readGuardrails(authored, reading),
    Memory: readMemory(authored, reading),
    Context: readContextWindow(authored, reading),
    Model: readModel(authored),
    Generation: readGeneration(authored),
    Streaming: readStreaming(authored),
    Idempotency: readIdempotency(authored),
    Cache: readCache(authored),
    Reasoning: readReasoning(fields['Reasoning']),
    Tools: readTools(authored, reading),
    Budget: readStateBudget(fields['Budget']),
    Audit: readAudit(authored, reading),
  };
}

/**
 * CloudFormation writes `{ "Ref": "Worker" }` or `{ "Fn::GetAtt": ["Worker", "Arn"] }` for a resource that it knows by
 * name.
 */
function readResource(written: unknown): string | undefined {
  const reference = optionalObject(written);
  if (!reference) return optionalString(written);
  const names = Object.values(reference).flat(2);
  return names.filter((name) => typeof name === 'string').join('.');
}

function readReasoning(written: unknown): Reasoning | undefined {
  const fields = optionalObject(written);
  return (
    fields && {
      required: fields['Required'] === true,
      format: (optionalString(fields['Format']) as Reasoning['format'] | undefined) ?? 'free_form',
      minSteps: optionalNumber(fields['MinSteps']),
      maxSteps: optionalNumber(fields['MaxSteps']),
      store: optionalString(fields['Store']),
    }
  );
}
