import { longestMessage } from '@dramaturg/compiler/machine';

/** What is accepted at most, of definitions and of events. */

/** A longer delay fires at once where it ends in a timeout of 32 bits. */
export const longestDelay = 2_147_483_647;

/** In UTF-16 units. What it accepts of a contact, a conversation has to take. */
export const longestText = longestMessage;
export const longestReason = 2_000;
/** Of ids from outside. */
export const longestId = 200;
/** Of what a host makes of the id of an instance: of its children, calls and messages. */
export const longestKey = 1_000;
export const longestEvent = 200;
export const longestState = 200;

/** Messages of which a second delivery is noticed. */
export const mostSeen = 32;
export const mostTodos = 100;
export const longestTodo = 500;

/** Of a word that acts when it is a whole message. */
export const longestWord = 40;

export const mostStates = 1_000;
/** Rows, once those of several states and several events are counted for each of them. */
export const mostRows = 20_000;
/** In characters of JSON: a longer row counts as several. */
export const longestRow = 1_000;
