import type { EventObject, Json, JsonObject } from '@dramaturg/compiler';
import type { ContextMaker } from '@dramaturg/compiler/format';
import {
  type ConversationContext,
  freshConversation,
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
export type Knowledge = Readonly<typeof freshKnowledge>;

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
export type Traversal = Readonly<ReturnType<typeof freshTraversal>> & {
  /** The outcome of an exit to `__end__`. */
  readonly outcome?: string;
};

/** The use of tools within one question to a model. */
export type ToolUse = Readonly<typeof noTools>;

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

export const freshKnowledge = {
  /** Working memory: recalled entries. */
  memories: [] as readonly string[],
  /** Queries that recall states have performed: no query is performed twice. */
  queries: [] as readonly string[],
  /** Inner thoughts of reflections and annotations. */
  thoughts: [] as readonly Thought[],
  /** Results of tools that later calls may see. */
  results: [] as readonly ToolResult[],
  /** The latest actions. Actions may be repeated, but a model should know which it has taken. */
  selected: [] as readonly { readonly state: string; readonly action: string }[],
};

export const noTools = {
  rounds: 0,
  pending: [] as readonly { readonly name: string; readonly arguments: JsonObject }[],
  /** Results for this question, including ephemeral ones. */
  results: [] as readonly ToolResult[],
};

export function freshTraversal(state: Address, knowledge: Knowledge) {
  return {
    /** The state in which the turn began. A void turn returns to it. */
    from: state,
    /** The current state of the turn. */
    state,
    /** The latest action state: a refused move falls back to it. */
    action: state,
    transitions: [] as readonly TransitionRecord[],
    /** Every state that was entered, including the first one, once for each entry. */
    visits: [state] as readonly Address[],
    /** Action states for which active memory was retrieved. */
    remembered: [] as readonly Address[],
    /** After a fallback, exits cannot be chosen for the rest of the turn. */
    masked: false,
    /** Port calls so far, without failed ones: part of every idempotency key. */
    calls: 0,
    /** The refused answer in this state. The model is asked a second time, but not a third. */
    refused: null as string | null,
    /** Queries of the current recall, and those that it has performed. */
    wanted: [] as readonly string[],
    performed: null as readonly string[] | null,
    tools: noTools as ToolUse,
    /** Arguments for the designated tool. */
    arguments: {} as JsonObject,
    /** The action that was selected; `__human__` or `__end__` for the message that says so. */
    selected: '',
    /** The agent ends the conversation with this turn; null when it does not. */
    ending: null as { readonly reason?: string } | null,
    /** The knowledge of the turn so far. */
    knowledge,
    /** Emitted when the turn is spoken; dropped when it is void. */
    events: [] as readonly EventObject[],
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
    ...freshConversation,
    traversal: null,
    outcome: null,
    reason: null,
  };
};
