import type { StateType } from '../definition/index.ts';
import { carriedOnly } from '../diagnostics/fields.ts';
import { authoredPart, partOf, statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** What a workflow may say and nothing acts on yet, by the type of the state; the first list is any state's.
 * A dot leads into a block. */
const everywhere = ['Progress', 'Metadata'];

const ofStates: Partial<Record<StateType, readonly string[]>> = {
  Task: [
    'Tools.Sandboxed',
    'Tools.Sandbox',
    'Tools.Hooks',
    'Tools.Audit',
    'Budget.Priority',
    'Budget.Tags',
    'Budget.Attribution',
    'Audit',
    'Cache',
    'Feedback',
    'Streaming.Callbacks',
    'Streaming.Buffer',
    'Streaming.ProgressPath',
    'Streaming.Milestones',
    'Idempotent',
    'IdempotencyKey',
    'IdempotencyKey.$',
    'CacheResult',
    'CacheTTL',
    'Credentials',
  ],
  Checkpoint: ['Storage'],
  Map: ['ItemReader', 'ResultWriter'],
};

const ofWorkflows = [
  'Budget.Notify',
  'Budget.MaxCostPerHour',
  'Budget.MaxCostPerDay',
  'Budget.Pool',
  'Budget.MaxFromPool',
  'Budget.ReleaseOnComplete',
  'Checkpointing',
  'DefaultTools.Sandboxed',
  'DefaultTools.Sandbox',
  'DefaultTools.Hooks',
  'DefaultTools.Audit',
  'Memory.Backend',
  'Memory.Connection',
  'Progress',
  'Events',
  'RealTime',
  'Observability',
  'Metadata',
  'CircuitBreaker',
];

/** Nobody relies on what nothing acts on. Spec: docs/formats/asl.md#carried */
export const nothingIsIgnoredInSilence: WorkflowRule = ({ definition, report }) => {
  const tell = (fields: readonly string[], owner: Pick<typeof definition, 'authored' | 'at'>) => {
    for (const path of fields) {
      const [field, inner] = path.split('.') as [string, string?];
      const part = inner === undefined ? authoredPart(owner) : partOf(authoredPart(owner), field);
      const last = inner ?? field;
      if (!part || !Object.hasOwn(part.value, last)) continue;
      report(carriedOnly(path), [...part.at, last], { at: 'key' });
    }
  };
  if (definition.dialect === 'agent') tell(ofWorkflows, definition);
  for (const state of statesOf(definition)) {
    tell([...everywhere, ...(ofStates[state.Type] ?? [])], state);
  }
};
