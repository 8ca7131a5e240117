/** Plays transcripts: the input of an actor and its effects, on one readable page. */
export { answerOf, OpenCalls } from './play.ts';
export { type PlayOptions, playTranscript, wordOf } from './play.ts';
export { parseTranscript, significantLines, type Step } from './play.ts';
