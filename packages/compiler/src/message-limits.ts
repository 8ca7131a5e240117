/** The most UTF-16 units of a message to a conversation, in every format. */
export const longestMessage = 100_000;

/** The most messages that wait in a conversation while it answers another one, in every format. */
export const longestInbox = 100;
