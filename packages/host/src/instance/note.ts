/** Notes that the state of an instance keeps. All of them are in the journal. */
export const notesMax = 100;

/** A note of a person about a conversation. Neither the contact nor a model gets it. */
export type Note = { readonly by: string; readonly at: number; readonly text: string };
