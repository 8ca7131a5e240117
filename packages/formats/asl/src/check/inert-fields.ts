import { authoredPart, fieldsAt, partOf } from '../authored.ts';
import { carriedOnly } from '../diagnostics/fields.ts';
import { inertWorkflowFields, metadataFields } from '../document.ts';
import { definitionOf } from '../kinds.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** Fields of any state that have no effect yet. */
const inertInAnyState = ['Progress.HeartbeatOnUpdate', 'Progress.AggregateBy', 'Metadata'];

/** Reports fields that have no effect yet. Spec: docs/formats/asl.md#carried */
export const inertFields: WorkflowRule = ({ definition, report }) => {
  const reportInert = (
    paths: readonly string[],
    owner: Pick<typeof definition, 'authored' | 'at'>,
  ) => {
    for (const path of paths) {
      for (const { owner: part, field } of fieldsAt(authoredPart(owner), path)) {
        const at = [...part.at, field];
        report(carriedOnly(at.slice(owner.at.length).join('.')), at, { at: 'key' });
      }
    }
  };
  if (definition.dialect === 'agent') {
    reportInert(inertWorkflowFields, definition);
    const metadata = Object.keys(partOf(authoredPart(definition), 'Metadata')?.value ?? {});
    if (metadata.some((field) => !metadataFields.includes(field)))
      reportInert(['Metadata'], definition);
  }
  for (const state of statesOf(definition)) {
    reportInert([...inertInAnyState, ...(definitionOf(state.Type).inertFields ?? [])], state);
  }
};
