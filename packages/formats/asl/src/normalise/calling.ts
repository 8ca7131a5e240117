import type { Calling } from '../definition/calling.ts';
import { numberOf, objectOf, type Placed, record, textOf } from './fields.ts';

export function readCalling({ value: fields }: Placed): Calling | undefined {
  const blocks = ['Model', 'Generation', 'Streaming'];
  if (!blocks.some((block) => Object.hasOwn(fields, block))) return undefined;
  const model = record(fields['Model']);
  const on = model['FallbackOn'];
  const streaming = objectOf(fields['Streaming']);
  const chunkSize = numberOf(streaming?.['ChunkSize']);
  return {
    model: textOf(model['Preferred']),
    fallbackModel: textOf(model['Fallback']),
    fallbackOn: Array.isArray(on) ? on.filter((name) => typeof name === 'string') : undefined,
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
