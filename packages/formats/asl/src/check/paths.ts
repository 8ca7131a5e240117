import type { Report } from '@dramaturg/compiler';
import { hasHole } from '../definition/field.ts';
import type { Dialect, Workflow } from '../definition/index.ts';
import { badPath, badReferencePath } from '../diagnostics/expressions.ts';
import { authoredPart, conditionsOf, type Part, partOf, partsOf } from '../authored.ts';
import { statesOf } from '../walk.ts';
import { reportHole } from './unfilled-holes.ts';
import { checkCall } from './intrinsics.ts';
import { isCall } from '../data/intrinsic/parse.ts';
import { pathFault, referencePathFault } from './syntax/path.ts';
import type { WorkflowRule } from './rule.ts';

/** Fields that say where a value is put, so that they name one place. */
const writtenTo = new Set(['ResultPath']);

/** Fields in which a call of an intrinsic function may stand for a path. */
const orCalls = new Set(['ErrorPath', 'CausePath']);

/**
 * What a field says to be a path is one, and one that is written to names one place.
 * Spec: states-language.net/spec.html#path, states-language.net/spec.html#ref-paths
 */
export const pathsAreWellFormed: WorkflowRule = ({ definition, report }) => {
  for (const { part, field } of pathFields(definition)) {
    const text = part.value[field];
    if (typeof text !== 'string') continue;
    const path = [...part.at, field];
    if (hasHole(text)) {
      if (!definition.isTemplate) reportHole(text, path, report);
      continue;
    }
    if (writtenTo.has(field)) {
      const fault = referencePathFault(text);
      if (fault !== undefined) report(badReferencePath(field, text, fault), path);
    } else if (orCalls.has(field) && isCall(text)) {
      checkCall(text, definition.dialect, path, report, 'text');
    } else checkPath(field, text, definition.dialect, path, report);
  }
};

export function checkPath(
  field: string,
  text: string,
  dialect: Dialect,
  path: readonly (string | number)[],
  report: Report,
): void {
  const fault = pathFault(text, dialect);
  if (fault !== undefined) report(badPath(field, text, fault), path);
}

interface PathField {
  readonly part: Part;
  readonly field: string;
}

/** By their names: every field that holds a path ends in `Path`, but the `Variable` of a comparison. */
function* pathFields(workflow: Workflow): Generator<PathField> {
  for (const state of statesOf(workflow)) {
    if (state.QueryLanguage === 'JSONata') continue;
    const part = authoredPart(state);
    const reader = partOf(part, 'ItemReader');
    const parts = [
      part,
      ...partsOf(part, 'Catch'),
      ...partsOf(part, 'Choices').flatMap(conditionsOf),
      partOf(part, 'ItemBatcher'),
      reader && partOf(reader, 'ReaderConfig'),
      partOf(part, 'Editable'),
    ];
    for (const one of parts) {
      if (!one) continue;
      for (const field of Object.keys(one.value)) {
        if (field.endsWith('Path') || field === 'Variable') yield { part: one, field };
      }
    }
  }
}
