import type { Json } from '../json.ts';
import type { Usage } from './contract.ts';
import { PortError } from './errors.ts';
import type { PortEnding } from './usage.ts';

/** The end of a definition that ran as an agent: a result, or an error with the definition's own name for it. */
export type AgentEnding =
  | { readonly result: Json; readonly usage?: Usage }
  | { readonly error: string; readonly cause: string; readonly usage?: Usage };

/** Turns the ending into the end of a `runAgent` call: an answer or an error. */
export function agentEnded(ending: AgentEnding): PortEnding {
  if (!('error' in ending)) return { output: ending };
  const { error, cause, usage } = ending;
  return {
    error: new PortError('port/failed', 'runAgent', cause, { cause: { error, cause }, usage }),
  };
}
