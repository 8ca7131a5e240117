import { isRecord } from '@dramaturg/compiler';
import {
  type Authoring,
  type TypedValue,
  type NameReference,
  valueAt,
  type Word,
} from '@dramaturg/compiler/format';
import { otherTargets as words } from '@dramaturg/conversation';

const title = ['title', 'label', 'description'];

const stateNames: readonly NameReference[] = [
  { noun: 'state', at: ['initial_state_id'] },
  { noun: 'state', at: ['**', 'transitions', '#', 'target_state_id'], words },
  { noun: 'state', at: ['**', 'transitions', '#', 'target'], words },
  { noun: 'state', at: ['**', 'except_states', '#'] },
  { noun: 'state', at: ['**', 'canvas', 'end_state_ids', '#'] },
];

/** The names of a plan. A deliverable has one value in the whole plan, so it is known everywhere. */
export const authoring: Authoring = {
  declarations: [
    ...[['states', '#'], ['#']].map((at) => ({
      noun: 'state',
      at,
      name: ['id'],
      kind: ['type', 'execution_mode'],
      title,
    })),
    { noun: 'task', at: ['**', 'tasks', '#'], name: ['id'], title },
    {
      noun: 'deliverable',
      at: ['**', 'deliverables', '#'],
      name: ['key', 'id'],
      kind: ['type'],
      title: ['description', 'label'],
    },
    {
      noun: 'session field',
      at: ['**', 'fields', '#'],
      name: ['id'],
      kind: ['type'],
      title: ['description', 'label'],
    },
  ],
  references: [
    ...stateNames,
    { noun: 'deliverable', at: ['**', 'deliverable_key'] },
    { noun: 'deliverable', at: ['**', 'condition_config', 'key'] },
    { noun: 'task', at: ['**', 'condition_config', 'task_id'] },
    { noun: 'deliverable', at: ['**', 'config', 'key'] },
  ],
  words: expectedValues,
  sections: {
    '': 'plan.md#plan',
    states: 'plan.md#states',
    type: 'plan.md#states',
    goal: 'plan.md#goal-states',
    tasks: 'plan.md#tasks',
    deliverables: 'plan.md#deliverables',
    agent: 'plan.md#agents',
    results: 'plan.md#agents',
    on_end: 'plan.md#agents',
    transitions: 'plan.md#transitions',
    condition_type: 'plan.md#conditions',
    condition_config: 'plan.md#conditions',
    session_context: 'plan.md#session',
    metadata: 'plan.md#turn',
  },
};

/** In a condition: the values of the deliverable that it tests. */
function expectedValues({ path, definition }: TypedValue): readonly Word[] {
  const fields = path.filter((step) => typeof step === 'string');
  const field = path.lastIndexOf(fields.at(-1)!);
  if (!/^(?:expected_value|values?)$/.test(fields.at(-1) ?? '')) return [];
  const config = valueAt(definition, path.slice(0, field));
  if (!isRecord(config)) return [];
  const key = config['deliverable_key'] ?? config['key'];
  const values = deliverablesIn(definition).flatMap((deliverable) =>
    (deliverable['key'] ?? deliverable['id']) === key
      ? (deliverable['enum_values'] ?? deliverable['enumValues'] ?? [])
      : [],
  );
  return [values]
    .flat(2)
    .flatMap((value) =>
      typeof value === 'string' ? { word: value, meaning: `A value of ${String(key)}.` } : [],
    );
}

function deliverablesIn(part: unknown): readonly Record<string, unknown>[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, item]) => [
    ...(key === 'deliverables' && Array.isArray(item) ? item.filter(isRecord) : []),
    ...deliverablesIn(item),
  ]);
}
