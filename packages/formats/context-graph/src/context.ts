import type { EventObject, Json, JsonObject } from '@dramaturg/compiler';
import type { ConversationContext } from '@dramaturg/conversation';
import type { Address } from './names.ts';

/**
 * What a graph's guards and prompts read. `turn` counts void turns too, `messages` also counts inner thoughts, and `message`
 * is null when the agent speaks first.
 */
export interface GraphContext extends ConversationContext {
  readonly returning: boolean;
  /** The action state the conversation rests in between turns. */
  readonly state: Address;
  readonly knowledge: Knowledge;
  /** The turn in hand, which counts only once it is spoken. A failed turn keeps it; null while the actor waits. */
  readonly traversal: Traversal | null;
  readonly outcome: 'completed' | 'cancelled' | 'ended_by_agent' | null;
  /** Why the agent has ended the conversation, if it did and said so. */
  readonly reason: string | null;
}

/** What models are shown besides the conversation's log. The latest entries of each; the events have all of them. */
export interface Knowledge {
  /** Working memory: what was recalled. */
  readonly memories: readonly string[];
  /** Queries that recall states have performed: none is performed twice. */
  readonly queries: readonly string[];
  /** Inner thoughts of reflections and annotations. */
  readonly thoughts: readonly Thought[];
  /** Results of tools that are to be seen by later calls. */
  readonly results: readonly ToolResult[];
  /** What was said lately: actions are not ticked off, but a model should know which it has taken. */
  readonly selected: readonly { readonly state: string; readonly action: string }[];
}

interface Thought {
  readonly state: string;
  readonly text: string;
  /** Which message of the conversation it is. */
  readonly at: number;
}

interface ToolResult {
  readonly tool: string;
  readonly text: string;
}

/** The way from action state to action state within one turn. */
export interface Traversal {
  /** Where the turn began, and where it is void to. */
  readonly from: Address;
  /** Where it is. */
  readonly state: Address;
  /** The action state it was in most recently: a move that is refused falls back to it. */
  readonly action: Address;
  readonly transitions: readonly TransitionRecord[];
  /** Every state that was entered, the first one included, as often as it was. */
  readonly visits: readonly Address[];
  /** Action states for which active memory was retrieved. */
  readonly remembered: readonly Address[];
  /** After a fallback exits are out of reach for the rest of the turn. */
  readonly masked: boolean;
  /** Port calls so far, a failed one not counted: part of every idempotency key. */
  readonly calls: number;
  /** The answer that was refused in this state; the model is asked a second time, and not a third. */
  readonly refused: string | null;
  /** Queries of the recall in hand, and those it has performed. */
  readonly wanted: readonly string[];
  readonly performed: readonly string[] | null;
  readonly tools: ToolUse;
  /** Arguments for the designated tool. */
  readonly arguments: JsonObject;
  /** The action that was selected. */
  readonly selected: string;
  /** The agent ends the conversation with this turn; null when it does not. */
  readonly ending: { readonly reason?: string } | null;
  /** What the turn has learnt so far. */
  readonly knowledge: Knowledge;
  /** Emitted when the turn is spoken; dropped when it is void. */
  readonly events: readonly EventObject[];
}

/** The use of tools within one question to a model. */
export interface ToolUse {
  readonly rounds: number;
  readonly pending: readonly { readonly name: string; readonly arguments: JsonObject }[];
  /** Results that this question is answered with, the ephemeral ones among them. */
  readonly results: readonly ToolResult[];
}

/** A move from state to state. `type` is that of the state left, or how else it came about. */
export type TransitionRecord = {
  readonly type: string;
  readonly from: string;
  readonly to: string;
  /** The exit condition that was taken. */
  readonly exit?: string;
  /** There was only this exit, so nobody was asked. */
  readonly automatic?: true;
  /** A limit of the turn did not allow it. */
  readonly refused?: true;
  /** What a recall has asked for. */
  readonly queries?: readonly string[];
  readonly [field: string]: Json | undefined;
};

export const freshKnowledge: Knowledge = {
  memories: [],
  queries: [],
  thoughts: [],
  results: [],
  selected: [],
};

export const noTools: ToolUse = { rounds: 0, pending: [], results: [] };

export function freshTraversal(state: Address, knowledge: Knowledge): Traversal {
  return {
    from: state,
    state,
    action: state,
    transitions: [],
    visits: [state],
    remembered: [],
    masked: false,
    calls: 0,
    refused: null,
    wanted: [],
    performed: null,
    tools: noTools,
    arguments: {},
    selected: '',
    ending: null,
    knowledge,
    events: [],
  };
}

/** How many entries of each kind a snapshot keeps, and how long a text may be in it. In UTF-16 units. */
const longestList = 50;
export const mostQueries = 500;
const longestText = 5_000;

/** The latest entries of a list that must not grow without limit. */
export function latest<Item>(items: readonly Item[], most: number = longestList): readonly Item[] {
  return items.length > most ? items.slice(-most) : items;
}

export function shortened(text: string, longest: number = longestText): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
