import { longestMessage } from '@dramaturg/compiler/machine';

/** Limits of definitions and events. */

/** A longer delay would fire immediately where a timeout has 32 bits. */
export const longestDelay = 2_147_483_647;

/** In UTF-16 units. Equal to the limit of a conversation, which must take every accepted message. */
export const longestText = longestMessage;
export const longestReason = 2_000;
/** The longest id from outside. */
export const longestId = 200;
/** The longest id that a host derives from the id of an instance: for its children, calls and messages. */
export const longestKey = 1_000;
export const longestEvent = 200;
export const longestState = 200;

/** The number of latest messages for which a second delivery is detected. */
export const mostSeen = 32;
export const mostTodos = 100;
export const longestTodo = 500;

/** The longest word that has an effect as a whole message. */
export const longestWord = 40;

export const mostStates = 1_000;
/** The most rows, counted once for each of their states and events. */
export const mostRows = 20_000;
/** In characters of JSON. A longer row counts as several. */
export const longestRow = 1_000;
