import type { Json } from '@dramaturg/compiler';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Cache } from '../definition/cache.ts';
import type { Dialect } from '../definition/index.ts';
import type { Execution } from './context-object.ts';
import { compileGiven } from './given.ts';
import type { Run } from './run.ts';

/** Where in memory an answer is. */
export interface CachePlace {
  readonly namespace: string;
  readonly name: string;
}

/** @param work the input of the agent */
export type CacheFlow = (
  run: Run,
  work: Json,
  called: { readonly agent: string; readonly execution: Execution },
) => CachePlace;

/** Agent 7 §Cache */
export function compileCache({ key, scope }: Cache, dialect: Dialect): CacheFlow {
  const keyOf = key && compileGiven(key, dialect, 'Key');
  return (run, work, { agent, execution }) => {
    const sharers = {
      execution: `/execution/${execution.id}`,
      workflow: `/workflow/${execution.name}`,
      global: '',
    };
    return {
      namespace: `cache${sharers[scope]}`,
      name: nameOf(agent, keyOf ? keyOf(run, run.input) : work),
    };
  };
}

/** The same for the same question to the same agent, and of a length that every store can take. */
function nameOf(agent: string, question: Json): string {
  const text = JSON.stringify([agent, question]);
  return bytesToHex(sha256(new TextEncoder().encode(text)));
}
