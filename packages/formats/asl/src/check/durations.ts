import { hasHole } from '../definition/field.ts';
import type { StateType, Workflow } from '../definition/index.ts';
import { badDuration } from '../diagnostics/approval.ts';
import { authoredPart, type Part, partOf, partsOf, statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';
import { isDuration } from '../data/timestamp.ts';

const durationFields: Partial<Record<StateType, readonly string[]>> = {
  Approval: ['Timeout'],
  Checkpoint: ['TTL'],
  Task: ['CacheTTL'],
  Workflow: ['Timeout'],
};

/** What says how long is a duration, `24h`; what is kept may be kept for ever. Spec: Agent 2 §Checkpoint State, Agent 6 */
export const durationsAreReadable: WorkflowRule = ({ definition, report }) => {
  for (const { part, field } of durationsOf(definition)) {
    const text = part.value[field];
    if (typeof text !== 'string' || isDuration(text)) continue;
    const isKept = field.endsWith('TTL');
    if ((isKept && text === 'never') || (definition.isTemplate && hasHole(text))) continue;
    report(badDuration(text, isKept), [...part.at, field]);
  }
};

/** Blocks of states and of workflows, and their fields that say how long. */
const durationsOfBlocks: Readonly<Record<string, readonly string[]>> = {
  Budget: ['MaxDuration', 'ThrottleDelay'],
  Tools: ['Timeout'],
  DefaultTools: ['Timeout'],
  Memory: ['DefaultTTL'],
  Cache: ['TTL'],
};

function* durationsOf(workflow: Workflow): Generator<{ part: Part; field: string }> {
  for (const owner of [workflow, ...statesOf(workflow)]) {
    for (const [block, fields] of Object.entries(durationsOfBlocks)) {
      const part = partOf(authoredPart(owner), block);
      if (part) for (const field of fields) yield { part, field };
    }
    for (const part of writesOf(authoredPart(owner))) yield { part, field: 'TTL' };
  }
  for (const state of statesOf(workflow)) {
    const part = authoredPart(state);
    for (const field of durationFields[state.Type] ?? []) yield { part, field };
    if (state.Type === 'Approval') yield* remindersOf(part);
  }
}

/** What a state keeps in memory: one thing, or a list of them. */
function writesOf(state: Part): readonly Part[] {
  const memory = partOf(state, 'Memory');
  if (!memory) return [];
  const one = partOf(memory, 'Write');
  return one ? [one] : partsOf(memory, 'Write');
}

/** Agent 6 §Escalation, §Notifications */
function* remindersOf(approval: Part): Generator<{ part: Part; field: string }> {
  const escalation = partOf(approval, 'Escalation');
  if (escalation) {
    yield { part: escalation, field: 'After' };
    yield { part: escalation, field: 'Repeat' };
    const repeat = partOf(escalation, 'Repeat');
    if (repeat) yield { part: repeat, field: 'Every' };
    for (const level of partsOf(escalation, 'Levels')) yield { part: level, field: 'After' };
  }
  const notifications = partOf(approval, 'Notifications');
  if (!notifications) return;
  for (const channel of partsOf(notifications, 'Channels'))
    yield { part: channel, field: 'OnlyAfter' };
}
