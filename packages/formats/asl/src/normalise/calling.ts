import type { Calling } from '../definition/calling.ts';
import { given, isText, numberOf, objectOf, type Placed, record, textOf } from './fields.ts';

export function readCalling(placed: Placed): Calling | undefined {
  const { value: fields } = placed;
  const blocks = [
    'Model',
    'Generation',
    'Streaming',
    'Idempotent',
    'IdempotencyKey',
    'IdempotencyKey.$',
  ];
  if (!blocks.some((block) => Object.hasOwn(fields, block))) return undefined;
  const model = record(fields['Model']);
  const on = model['FallbackOn'];
  const streaming = objectOf(fields['Streaming']);
  const chunkSize = numberOf(streaming?.['ChunkSize']);
  return {
    model: textOf(model['Preferred']),
    fallbackModel: textOf(model['Fallback']),
    fallbackOn: Array.isArray(on) ? on.filter((name) => typeof name === 'string') : undefined,
    idempotencyKey: given(placed, 'IdempotencyKey', isText, 'JSONPath'),
    isIdempotent: fields['Idempotent'] === true,
    generation: objectOf(fields['Generation']),
    stream:
      streaming && streaming['Enabled'] !== false
        ? {
            mode: textOf(streaming['Mode']) ?? 'token',
            ...(chunkSize !== undefined && { chunkSize }),
          }
        : undefined,
  };
}
