import { idempotencyFields, type Idempotency } from '../definition/idempotency.ts';
import type { Part } from '../authored.ts';
import { readValueSource, isText } from './fields.ts';

export function readIdempotency(authored: Part): Idempotency | undefined {
  const { value: fields } = authored;
  if (!Object.keys(idempotencyFields).some((field) => Object.hasOwn(fields, field)))
    return undefined;
  return {
    key: readValueSource(authored, 'IdempotencyKey', isText, 'JSONPath'),
    isGenerated: fields['Idempotent'] === true,
  };
}
