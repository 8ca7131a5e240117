import type { EventObject, Json, JsonObject } from '@dramaturg/compiler';
import type { ContextMaker } from '@dramaturg/compiler/format';
import {
  type ConversationContext,
  readConversationInput,
  refuseInput,
} from '@dramaturg/conversation';
import type { Address } from './names.ts';

/**
 * The data that a graph's guards and prompts read. `turn` counts void turns too, `messages` also counts inner thoughts, and
 * `message` is null when the agent speaks first.
 */
export interface GraphContext extends ConversationContext {
  readonly returning: boolean;
  /** The action state in which the conversation rests between turns. */
  readonly state: Address;
  readonly knowledge: Knowledge;
  /** The current turn, which counts only once it is spoken. A failed turn keeps it; null while the actor waits. */
  readonly traversal: Traversal | null;
  /** `completed`, `cancelled`, `ended_by_agent`, or an outcome of the author. */
  readonly outcome: string | null;
  /** The agent's reason for ending the conversation, if it gave one. */
  readonly reason: string | null;
}

/** The data shown to models besides the conversation's log. Only the latest entries of each kind; the events have all of them. */
export interface Knowledge {
  /** Working memory: recalled entries. */
  readonly memories: readonly string[];
  /** Queries that recall states have performed: no query is performed twice. */
  readonly queries: readonly string[];
  /** Inner thoughts of reflections and annotations. */
  readonly thoughts: readonly Thought[];
  /** Results of tools that later calls may see. */
  readonly results: readonly ToolResult[];
  /** The latest actions. Actions may be repeated, but a model should know which it has taken. */
  readonly selected: readonly { readonly state: string; readonly action: string }[];
}

export interface Thought {
  readonly state: string;
  readonly text: string;
  /** The number of the message in the conversation. */
  readonly at: number;
}

export interface ToolResult {
  readonly tool: string;
  readonly text: string;
}

/** The way from action state to action state within one turn. */
export interface Traversal {
  /** The state in which the turn began. A void turn returns to it. */
  readonly from: Address;
  /** The current state of the turn. */
  readonly state: Address;
  /** The latest action state: a refused move falls back to it. */
  readonly action: Address;
  readonly transitions: readonly TransitionRecord[];
  /** Every state that was entered, including the first one, once for each entry. */
  readonly visits: readonly Address[];
  /** Action states for which active memory was retrieved. */
  readonly remembered: readonly Address[];
  /** After a fallback, exits cannot be chosen for the rest of the turn. */
  readonly masked: boolean;
  /** Port calls so far, without failed ones: part of every idempotency key. */
  readonly calls: number;
  /** The refused answer in this state. The model is asked a second time, but not a third. */
  readonly refused: string | null;
  /** Queries of the current recall, and those that it has performed. */
  readonly wanted: readonly string[];
  readonly performed: readonly string[] | null;
  readonly tools: ToolUse;
  /** Arguments for the designated tool. */
  readonly arguments: JsonObject;
  /** The action that was selected; `__human__` or `__end__` for the message that says so. */
  readonly selected: string;
  /** The outcome of an exit to `__end__`. */
  readonly outcome?: string;
  /** The agent ends the conversation with this turn; null when it does not. */
  readonly ending: { readonly reason?: string } | null;
  /** The knowledge of the turn so far. */
  readonly knowledge: Knowledge;
  /** Emitted when the turn is spoken; dropped when it is void. */
  readonly events: readonly EventObject[];
}

/** The use of tools within one question to a model. */
export interface ToolUse {
  readonly rounds: number;
  readonly pending: readonly { readonly name: string; readonly arguments: JsonObject }[];
  /** Results for this question, including ephemeral ones. */
  readonly results: readonly ToolResult[];
}

/** A move from state to state. `type` is the type of the left state, or another cause of the move. */
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
  /** The queries of a recall. */
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

/** How many entries of each kind a snapshot keeps, and the longest text of an entry. In UTF-16 units. */
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

/** Fields of the actor's input besides those that every conversation has. */
export const inputFields = ['returning'];

/** The states in which conversations of new and of returning users begin. */
export type Roles = Readonly<
  Record<'new_user_initial_state' | 'returning_user_initial_state', string>
>;

export function initialState(returning: boolean, roles: Roles): Address {
  return roles[returning ? 'returning_user_initial_state' : 'new_user_initial_state'];
}

/**
 * The first context. The host knows whether the person is a returning user: a graph says nothing about identity.
 *
 * @throws InputError with everything in the input that is unknown or does not fit
 */
export const start: ContextMaker<GraphContext, Roles> = ({ input }, roles) => {
  const { fields, conversation, opening, problems } = readConversationInput(input, inputFields);
  const { returning = false } = fields;
  if (typeof returning !== 'boolean') problems.push('"returning" must be true or false');
  refuseInput(problems);
  return {
    conversation,
    returning: returning === true,
    opening: opening ?? 'agent',
    state: initialState(returning === true, roles),
    knowledge: freshKnowledge,
    turn: 0,
    messages: 0,
    message: null,
    inbox: [],
    traversal: null,
    outcome: null,
    reason: null,
  };
};
