import type { EventObject, JsonObject } from '@dramaturg/compiler';
import type { DurableMachine } from '../xstate/machine-actor.ts';
import type { AgentTools } from './agent-tools.ts';
import type { LifecycleEventObject } from './event.ts';
import type { InstanceState } from './state.ts';
import type { ReadLines } from './transcript.ts';

/** The part of an instance's state that turns read and change. */
export type TurnState = Pick<InstanceState, 'turn' | 'inbox' | 'endings' | 'asked' | 'failure'>;

export interface PerformanceOptions {
  /** The id of the instance. */
  readonly id: string;
  /** The machine of the flow. */
  readonly machine: DurableMachine;
  /** The input of the flow. */
  readonly input: JsonObject;
  /** Receives the events that the flow emits. */
  readonly onEvent: (event: EventObject) => void;
  /** Dispatches an event to the lifecycle. */
  readonly tellLifecycle: (event: LifecycleEventObject) => void;
  /** The tools that let the agent act on its lifecycle in its present state. */
  readonly tools: () => AgentTools;
  readonly readTranscript: ReadLines;
}
