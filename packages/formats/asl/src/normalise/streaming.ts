import type { Streaming } from '../definition/streaming.ts';
import type { Part } from '../authored.ts';
import { optionalNumber, optionalObject, optionalString } from './fields.ts';

export function readStreaming({ value: fields }: Part): Streaming | undefined {
  const streaming = optionalObject(fields['Streaming']);
  if (!streaming || streaming['Enabled'] === false) return undefined;
  const chunkSize = optionalNumber(streaming['ChunkSize']);
  return {
    mode: optionalString(streaming['Mode']) ?? 'token',
    ...(chunkSize !== undefined && { chunkSize }),
  };
}
