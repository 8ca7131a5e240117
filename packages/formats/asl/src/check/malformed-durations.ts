import { authoredPart, fieldsAt, type Part } from '../authored.ts';
import { isDuration } from '../data/timestamp.ts';
import { hasHole } from '../definition/field.ts';
import type { Workflow } from '../definition/index.ts';
import { badDuration } from '../diagnostics/durations.ts';
import { definitionOf } from '../kinds.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports durations that cannot be read. A time to live may be `never`. Spec: Agent 2 §Checkpoint State, Agent 6 */
export const malformedDurations: WorkflowRule = ({ definition, report }) => {
  for (const { owner, field } of durationsOf(definition)) {
    const text = owner.value[field];
    if (typeof text !== 'string' || isDuration(text)) continue;
    const mayBeNever = field.endsWith('TTL');
    if ((mayBeNever && text === 'never') || (definition.isTemplate && hasHole(text))) continue;
    report(badDuration(text, mayBeNever), [...owner.at, field]);
  }
};

/** Durations in the blocks of workflows and of states of any type. */
const durationsInBlocks = [
  'Budget.MaxDuration',
  'Budget.ThrottleDelay',
  'CircuitBreaker.Timeout',
  'Tools.Timeout',
  'DefaultTools.Timeout',
  'Memory.DefaultTTL',
  'Memory.Write.TTL',
  'Memory.Write.[].TTL',
  'Cache.TTL',
];

function* durationsOf(workflow: Workflow): Generator<{ owner: Part; field: string }> {
  for (const path of durationsInBlocks) yield* fieldsAt(authoredPart(workflow), path);
  for (const state of statesOf(workflow)) {
    const { durations = [] } = definitionOf(state.Type);
    for (const path of [...durationsInBlocks, ...durations]) {
      yield* fieldsAt(authoredPart(state), path);
    }
  }
}
