import type { Json } from '@dramaturg/compiler';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Cache } from '../definition/task-blocks.ts';
import type { Dialect } from '../definition/index.ts';
import type { Execution, Run } from './run.ts';
import { compileKeySource } from './value-source.ts';

/** The key of a cached answer in memory. */
interface CacheEntry {
  readonly namespace: string;
  readonly name: string;
}

/** @param work the input of the agent */
type FindCacheEntry = (
  run: Run,
  work: Json,
  call: { readonly agent: string; readonly execution: Execution },
) => CacheEntry;

/** The slice of the program that `Cache` owns. */
export interface CacheProgram {
  readonly cacheEntry: FindCacheEntry;
}

/** The slice of the visit that `Cache` owns. */
export interface CacheVisit {
  readonly cached: CacheEntry;
}

/** Agent 7 §Cache */
export function compileCache({ key, scope }: Cache, dialect: Dialect): CacheProgram {
  const keyOf = key && compileKeySource(key, dialect, 'Key');
  const cacheEntry: FindCacheEntry = (run, work, { agent, execution }) => {
    const scopes = {
      execution: `/execution/${execution.id}`,
      workflow: `/workflow/${execution.name}`,
      global: '',
    };
    return {
      namespace: `cache${scopes[scope]}`,
      name: nameOf(agent, keyOf ? keyOf(run, run.input) : work),
    };
  };
  return { cacheEntry };
}

/** A hash: the same for the same question to the same agent, and short enough for every store. */
function nameOf(agent: string, question: Json): string {
  const text = JSON.stringify([agent, question]);
  return bytesToHex(sha256(new TextEncoder().encode(text)));
}
