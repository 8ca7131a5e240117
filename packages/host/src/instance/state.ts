import type { AgentEnding, EventObject, Json, JsonObject, PortInput } from '@dramaturg/compiler';
import type { Used } from '../limits/index.ts';
import type { DefinitionVersion } from '../store/contract.ts';
import type { Mailbox } from './mailbox.ts';

/**
 * What is stored of an instance: its two machines, and what belongs to neither. It does not grow with the conversation:
 * messages are in the transcript, and those held here wait for an answer.
 */
export interface InstanceState {
  readonly lifecycle: { readonly definition: DefinitionVersion; readonly snapshot: Json };
  /** The conversation or workflow; absent before its first turn, and where the life is all there is. */
  readonly flow?: Json;
  /** Where it has begun, when it is a copy of another one. */
  readonly copyOf?: CopyOf;
  /** The instance that has called it as an agent. */
  readonly parent?: ParentRef;
  /** Instances that it has called as agents, by the call. */
  readonly children?: Readonly<Record<string, ChildRef>>;
  /** How it has ended, for whoever has called it. */
  readonly ending?: AgentEnding;
  /** What the flow begins with. */
  readonly input: JsonObject;
  /** The contact as it was written, for channels. */
  readonly address: string | null;
  readonly channel: string | null;
  /** No other instance may speak with the contact. */
  readonly holds: boolean;
  readonly turn: Turn | null;
  /** The conversation has asked the agent for words. Until it does, the contact has the first word. */
  readonly asked?: true;
  /** What its calls have used up so far; absent before the first has ended. */
  readonly used?: Used;
  /** Messages of the contact that the flow has not been given yet. */
  readonly inbox: Mailbox;
  /** Ids of messages that the instance before has taken from the contact: they are repeated, and not meant for this one. */
  readonly seenBefore?: readonly string[];
  /** What the agent has asked for that ends its turn, until the turn ends: at most one event of a type. */
  readonly endings: readonly EventObject[];
}

/** Who has called an instance as an agent. */
export interface ParentRef {
  readonly instance: string;
  /** The call. */
  readonly call: string;
  /** The parent, its parent, and so on. */
  readonly ancestors: readonly string[];
  /** What of a budget it may use up. */
  readonly remainingBudget?: RemainingBudget;
}

/** What is left of a budget; what is not named is not limited. */
export type RemainingBudget = NonNullable<PortInput<'runAgent'>['left']>;

export interface ChildRef {
  readonly id: string;
  /** The turn of the parent that has last looked after it. */
  readonly turn: string;
}

/** An instance, and the save point of it. */
export interface CopyOf {
  readonly instance: string;
  readonly checkpoint: string;
}

/** The turn of the agent that runs. */
export interface Turn {
  readonly id: string;
  readonly kind: string;
  /** A reminder that is being composed. The flow does not know of it: nothing was said that it could answer. */
  readonly followUp: PortInput<'reply'> | null;
}

/** What an instance begins with. */
export interface Birth {
  readonly id: string;
  readonly contact?: string;
  readonly address: string | null;
  readonly channel: string | null;
  /** Another instance holds the contact. */
  readonly queued: boolean;
  /** Of the flow. */
  readonly input: JsonObject;
  /** What the contact has written first. */
  readonly message?: { readonly text: string; readonly id?: string };
  /** More of the lifecycle's input: its heartbeat, a checklist. */
  readonly lifecycleInput: JsonObject;
  readonly parent?: ParentRef;
  /** Ids of messages that the instance before has taken from the contact. */
  readonly seenBefore?: readonly string[];
  /** It begins where another one was. */
  readonly copy?: { readonly of: CopyOf; readonly flow: Json };
}
