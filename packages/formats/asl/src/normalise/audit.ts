import { partOf, type Part } from '../authored.ts';
import type { Audit } from '../definition/audit.ts';
import { optionalString, readTexts } from './fields.ts';
import type { Reading } from './reading.ts';

export function readAudit(state: Part, reading: Reading): Audit | undefined {
  const part = partOf(state, 'Audit');
  if (!part) return undefined;
  // The paths of all states apply to the whole workflow, so lowering collects them. A list that is too long is reported here.
  readTexts(part, 'Redact', reading);
  return {
    level: (optionalString(part.value['LogLevel']) as Audit['level'] | undefined) ?? 'standard',
    metrics: readTexts(part, 'Metrics', reading) as Audit['metrics'][number][],
  };
}
