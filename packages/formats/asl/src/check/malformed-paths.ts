import type { Report } from '@dramaturg/compiler/format';
import { authoredPart, conditionsOf, type Part, partOf, partsOf } from '../authored.ts';
import { isCall } from '../data/intrinsic/parse.ts';
import { hasHole } from '../definition/field.ts';
import type { Dialect, Workflow } from '../definition/index.ts';
import { badPath, badReferencePath, deadStep } from '../diagnostics/expressions.ts';
import { statesOf } from '../walk.ts';
import { checkCall } from './check-call.ts';
import type { WorkflowRule } from './rule.ts';
import { deadStepOf, pathFault, referencePathFault } from './syntax/path.ts';
import { reportHole } from './unfilled-holes.ts';

/** Fields that say where a value is written, so they must name exactly one place. */
const writtenFields = new Set(['ResultPath', 'InjectAt']);

/** Fields that take a path or a call of an intrinsic function. */
const callFields = new Set(['ErrorPath', 'CausePath']);

/**
 * Reports paths that cannot be read, and paths to write to that name several places.
 * Spec: states-language.net/spec.html#path, states-language.net/spec.html#ref-paths
 */
export const malformedPaths: WorkflowRule = ({ definition, report }) => {
  for (const { part, field } of pathFields(definition)) {
    const text = part.value[field];
    if (typeof text !== 'string') continue;
    const path = [...part.at, field];
    if (hasHole(text)) {
      if (!definition.isTemplate) reportHole(text, path, report);
      continue;
    }
    if (writtenFields.has(field)) {
      const fault = referencePathFault(text);
      if (fault !== undefined) report(badReferencePath(field, text, fault), path);
    } else if (callFields.has(field) && isCall(text)) {
      checkCall(text, definition.dialect, path, report, 'text');
    } else checkPath(field, text, definition.dialect, path, report);
  }
};

interface PathField {
  readonly part: Part;
  readonly field: string;
}

/** Finds the fields by name: a field that holds a path ends in `Path`, except `Variable` of a comparison and `InjectAt` of a memory. */
function* pathFields(workflow: Workflow): Generator<PathField> {
  for (const state of statesOf(workflow)) {
    if (state.QueryLanguage === 'JSONata') continue;
    const part = authoredPart(state);
    const reader = partOf(part, 'ItemReader');
    const memory = partOf(part, 'Memory');
    const parts = [
      part,
      ...partsOf(part, 'Catch'),
      ...partsOf(part, 'Choices').flatMap(conditionsOf),
      partOf(part, 'ItemBatcher'),
      reader && partOf(reader, 'ReaderConfig'),
      partOf(part, 'Editable'),
      memory && partOf(memory, 'Read'),
    ];
    for (const one of parts) {
      if (!one) continue;
      for (const field of Object.keys(one.value)) {
        if (field.endsWith('Path') || field === 'Variable' || field === 'InjectAt')
          yield { part: one, field };
      }
    }
  }
}

/** Reports a string that is not a path of the dialect, or a path that leads nowhere in any data. */
export function checkPath(
  field: string,
  text: string,
  dialect: Dialect,
  path: readonly (string | number)[],
  report: Report,
): void {
  const fault = pathFault(text, dialect);
  if (fault !== undefined) report(badPath(field, text, fault), path);
  const step = dialect === 'amazon' ? deadStepOf(text) : undefined;
  if (step !== undefined) report(deadStep(step), path);
}
