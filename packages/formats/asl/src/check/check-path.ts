import type { Report } from '@dramaturg/compiler';
import type { Dialect } from '../definition/index.ts';
import { badPath } from '../diagnostics/expressions.ts';
import { pathFault } from './syntax/path.ts';

/** Reports a text that is not a path of the dialect. */
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
