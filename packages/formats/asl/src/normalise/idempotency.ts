import { idempotencyFields, type Idempotency } from '../definition/idempotency.ts';
import { given, isText, type Placed } from './fields.ts';

export function readIdempotency(placed: Placed): Idempotency | undefined {
  const { value: fields } = placed;
  if (!Object.keys(idempotencyFields).some((field) => Object.hasOwn(fields, field)))
    return undefined;
  return {
    key: given(placed, 'IdempotencyKey', isText, 'JSONPath'),
    isGenerated: fields['Idempotent'] === true,
  };
}
