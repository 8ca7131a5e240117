import type { Streaming } from '../definition/streaming.ts';
import { numberOf, objectOf, type Placed, textOf } from './fields.ts';

export function readStreaming({ value: fields }: Placed): Streaming | undefined {
  const streaming = objectOf(fields['Streaming']);
  if (!streaming || streaming['Enabled'] === false) return undefined;
  const chunkSize = numberOf(streaming['ChunkSize']);
  return {
    mode: textOf(streaming['Mode']) ?? 'token',
    ...(chunkSize !== undefined && { chunkSize }),
  };
}
