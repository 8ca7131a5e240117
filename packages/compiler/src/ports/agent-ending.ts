import type { Json } from '../json.ts';
import type { Usage } from './contract.ts';
import { PortError } from './errors.ts';
import type { PortEnding } from './usage.ts';

/** How a definition that ran as an agent has ended: with a result, or with an error under the name that it has for it. */
export type AgentEnding =
  | { readonly result: Json; readonly usage?: Usage }
  | { readonly error: string; readonly cause: string; readonly usage?: Usage };

/** The same, as an answer of the port `runAgent`, or the failure of the call. */
export function agentEnded(ending: AgentEnding): PortEnding {
  if (!('error' in ending)) return { output: ending };
  const { error, cause, usage } = ending;
  return {
    error: new PortError('port/failed', 'runAgent', cause, { cause: { error, cause }, usage }),
  };
}
