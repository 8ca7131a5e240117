import type { StateType } from '../definition/index.ts';
import { carriedOnly } from '../diagnostics/fields.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** What a workflow may say and nothing acts on yet, by the type of the state; the first list is any state's. */
const everywhere = ['Events', 'Progress', 'Metadata'];

const ofStates: Partial<Record<StateType, readonly string[]>> = {
  Task: [
    'Memory',
    'Context',
    'Tools',
    'Budget',
    'Guardrails',
    'Reasoning',
    'Audit',
    'Cache',
    'Feedback',
    'Streaming',
    'Model',
    'Generation',
    'Idempotent',
    'IdempotencyKey',
    'IdempotencyKey.$',
    'CacheResult',
    'CacheTTL',
    'Credentials',
  ],
  Pass: ['Memory'],
  Checkpoint: ['Storage'],
  Map: ['ItemReader', 'ResultWriter'],
};

const ofWorkflows = [
  'Budget',
  'Checkpointing',
  'DefaultTools',
  'ToolCategories',
  'Memory',
  'Progress',
  'Events',
  'RealTime',
  'Observability',
  'Metadata',
  'CircuitBreaker',
];

/** Nobody relies on what nothing acts on. Spec: docs/formats/asl.md#carried */
export const nothingIsIgnoredInSilence: WorkflowRule = ({ definition, report }) => {
  const tell = (
    fields: readonly string[],
    { authored, at }: Pick<typeof definition, 'authored' | 'at'>,
  ) => {
    for (const field of fields) {
      if (Object.hasOwn(authored, field)) report(carriedOnly(field), [...at, field], { at: 'key' });
    }
  };
  if (definition.dialect === 'agent') tell(ofWorkflows, definition);
  for (const state of statesOf(definition)) {
    tell([...everywhere, ...(ofStates[state.Type] ?? [])], state);
  }
};
