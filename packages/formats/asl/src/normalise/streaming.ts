import type { Streaming } from '../definition/streaming.ts';
import type { Part } from '../authored.ts';
import { optionalNumber, optionalObject, optionalString } from './fields.ts';

const names = [
  ['OnChunk', 'onChunk'],
  ['OnComplete', 'onComplete'],
  ['OnError', 'onError'],
] as const;

export function readStreaming({ value: fields }: Part): Streaming | undefined {
  const streaming = optionalObject(fields['Streaming']);
  if (!streaming || streaming['Enabled'] === false) return undefined;
  const written = optionalObject(streaming['Callbacks']);
  const callbacks =
    written &&
    names.flatMap(([field, name]) => {
      const agent = optionalString(written[field]);
      return agent === undefined ? [] : [[name, agent] as const];
    });
  const chunkSize = optionalNumber(streaming['ChunkSize']);
  return {
    mode: optionalString(streaming['Mode']) ?? 'token',
    ...(chunkSize !== undefined && { chunkSize }),
    ...(callbacks && { callbacks: Object.fromEntries(callbacks) }),
  };
}
