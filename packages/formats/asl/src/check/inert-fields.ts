import type { Path } from '@dramaturg/compiler';
import type { StateType } from '../definition/index.ts';
import { carriedOnly } from '../diagnostics/fields.ts';
import { authoredPart, type Part, partOf, statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** What a workflow may say and nothing acts on yet, by the type of the state; the first list is any state's.
 * A dot leads into a block, and a star into each part of one. */
const everywhere = ['Progress.HeartbeatOnUpdate', 'Progress.AggregateBy', 'Metadata'];

const ofTools = [
  'Sandboxed',
  'Sandbox',
  'Hooks',
  'Audit',
  'RateLimits.*.BurstLimit',
  'RateLimits.*.MaxConcurrent',
  'Validation.*.Output.Sanitize',
  'FileSystem.MaxFileSize',
];

const ofStates: Partial<Record<StateType, readonly string[]>> = {
  Task: [
    ...ofTools.map((field) => `Tools.${field}`),
    'Budget.Priority',
    'Budget.Tags',
    'Budget.Attribution',
    'Audit',
    'Feedback',
    'Streaming.Callbacks',
    'Streaming.Buffer',
    'Streaming.ProgressPath',
    'Streaming.Milestones',
    'Credentials',
  ],
  Checkpoint: ['Storage'],
  Map: ['ItemReader', 'ResultWriter', 'Streaming', 'Idempotent'],
};

const ofWorkflows = [
  'Budget.Notify',
  'Budget.MaxCostPerHour',
  'Budget.MaxCostPerDay',
  'Budget.Pool',
  'Budget.MaxFromPool',
  'Budget.ReleaseOnComplete',
  'Checkpointing',
  ...ofTools.map((field) => `DefaultTools.${field}`),
  'Memory.Backend',
  'Memory.Connection',
  'Events',
  'RealTime',
  'Observability',
  'Metadata',
  'CircuitBreaker',
];

/** Nobody relies on what nothing acts on. Spec: docs/formats/asl.md#carried */
export const nothingIsIgnoredInSilence: WorkflowRule = ({ definition, report }) => {
  const tell = (fields: readonly string[], owner: Pick<typeof definition, 'authored' | 'at'>) => {
    for (const field of fields) {
      for (const path of placesOf(authoredPart(owner), field.split('.'))) {
        const said = path.slice(owner.at.length).join('.');
        report(carriedOnly(said), path, { at: 'key' });
      }
    }
  };
  if (definition.dialect === 'agent') tell(ofWorkflows, definition);
  for (const state of statesOf(definition)) {
    tell([...everywhere, ...(ofStates[state.Type] ?? [])], state);
  }
};

/** Where a field stands, as often as it does. */
function placesOf(part: Part, [name, ...rest]: readonly string[]): Path[] {
  if (name === undefined) return [];
  const names = name === '*' ? Object.keys(part.value).slice(0, mostParts) : [name];
  return names.flatMap((field) => {
    if (!Object.hasOwn(part.value, field)) return [];
    if (rest.length === 0) return [[...part.at, field]];
    const inner = partOf(part, field);
    return inner ? placesOf(inner, rest) : [];
  });
}

const mostParts = 1_000;
