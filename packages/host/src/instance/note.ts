/** The number of notes in the state of an instance. The journal has all notes. */
export const notesMax = 100;

/** A note of a person about a conversation. Neither the contact nor a model gets it. */
export type Note = { readonly by: string; readonly at: number; readonly text: string };
