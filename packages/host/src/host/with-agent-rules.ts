import type { Ports } from '@dramaturg/compiler';
import { limitToolCalls } from '../admission/limit-tool-calls.ts';
import { breakCircuits } from '../circuits/break-circuits.ts';
import { streamCallbacks } from '../streaming/stream-callbacks.ts';
import type { HostOptions } from './options.ts';

/** Adds to the ports of a host the limits and circuits of agents and tools, and callbacks while they stream. */
export function withAgentRules(
  ports: HostOptions['ports'] = {},
  now: () => number,
): Partial<Ports> {
  const { runAgent, callTool } = ports;
  return {
    ...ports,
    ...(runAgent && { runAgent: streamCallbacks(breakCircuits(runAgent, now)) }),
    ...(callTool && { callTool: limitToolCalls(callTool) }),
  };
}
