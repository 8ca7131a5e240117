import type { EventObject, JsonObject } from '@dramaturg/compiler';
import type { DurableMachine } from '../xstate/machine-actor.ts';
import type { AgentTools } from './agent-tools.ts';
import type { LifecycleEventObject } from './event.ts';
import type { InstanceState } from './state.ts';
import type { ReadLines } from './transcript.ts';

/** The part of an instance's state that turns read and change. */
export type TurnState = Pick<
  InstanceState,
  'turn' | 'inbox' | 'heard' | 'answeredTo' | 'endings' | 'asked' | 'failure' | 'word' | 'restarts'
>;

export interface FlowRunOptions {
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
  /** Sends a message of the flow from outside a turn, if the agent may speak then. */
  readonly say: (id: string, text: string) => void;
  /**
   * Notifies the lifecycle, once a step, that the flow has ended outside a turn.
   *
   * @param isNow whether it has ended in this step: a conversation that ended before may wait for a person
   * @returns whether there may be more events
   */
  readonly endInstance: (reason: string, isNow: boolean) => boolean;
  /**
   * Notifies the lifecycle that the flow has to say something outside a turn.
   *
   * @returns whether there may be more events
   */
  readonly wantTurn: () => boolean;
  /**
   * Notifies the lifecycle that the flow has handed over outside a turn.
   *
   * @returns false when the lifecycle is notified only in the next turn
   */
  readonly flag: (reason: string) => boolean;
  /** The tools that let the agent act on its lifecycle in its present state. */
  readonly tools: () => AgentTools;
  /** Whether a reply is made again when messages come in the meantime. */
  readonly supersedes: boolean;
  /** Whether the present step may drop a reply that was begun before it: nothing of it was shown. */
  readonly mayGiveUp: () => boolean;
  readonly readTranscript: ReadLines;
  /** The line that the contact is to answer. */
  readonly question: () => InstanceState['question'];
}
