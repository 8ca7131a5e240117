import type { Compiled, JsonObject, Ports } from '@dramaturg/compiler';
import type { PortWishes } from '@dramaturg/compiler/machine';
import type { Limits, Recording } from '@dramaturg/host';
import type { StageOptions } from '../testing/stage-options.ts';
import type { Persona } from './persona.ts';
import type { Simulated } from './situation.ts';

export interface SimulationOptions {
  readonly compiled: Compiled;
  /** Definitions that a workflow runs as agents, by name. */
  readonly others?: StageOptions['others'];
  /** The lifecycle of the conversations, on a host where time passes. Without it a conversation has no time. */
  readonly lifecycle?: Compiled | 'built-in';
  readonly personas: readonly Persona[];
  /** Conversations with each persona. */
  readonly runs: number;
  /** Conversations at the same time. */
  readonly concurrency: number;
  readonly seed: number;
  /** The most messages of a person in a conversation. */
  readonly turnsMax: number;
  /** Outcomes and states that count as a good end; without them, the usual outcomes do. */
  readonly good: readonly string[];
  readonly input: JsonObject;
  readonly limits: Limits;
  /** The agents of a workflow, or of tasks of a plan. */
  readonly agents?: Partial<Ports> | undefined;
  /** The model that plays the agent; the understudy when left out. */
  readonly ports?: Partial<Ports> & Pick<Ports, 'reply'> & PortWishes;
  /** The model that plays the persons; their rules when left out. */
  readonly personPorts?: Pick<Ports, 'reply' | 'choose'>;
  /** Records or replays a conversation. */
  readonly tape?: (name: string) => Promise<Tape>;
  readonly onEnd?: (simulated: Simulated) => void;
  readonly stop: AbortSignal;
}

/** The recording of one conversation. */
export interface Tape {
  /** The input of a recorded conversation. */
  readonly input?: JsonObject;
  /** Whether the calls of a recorded conversation have their next reply: a replay has to make the same calls. */
  readonly nextReplies?: boolean;
  readonly start: (input: JsonObject) => Recording;
}
