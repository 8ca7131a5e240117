import type { Report } from '@dramaturg/compiler/format';
import type { Dialect } from '../definition/index.ts';
import { badPath, deadStep } from '../diagnostics/expressions.ts';
import { deadStepOf, pathFault } from './syntax/path.ts';

/** Reports a text that is not a path of the dialect, or that leads nowhere whatever the data is. */
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
