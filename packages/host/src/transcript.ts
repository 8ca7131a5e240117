/** Plays transcripts: the input of an actor and its effects, on one readable page. */
export { answerOf, OpenCalls } from './testing/open-calls.ts';
export { type PlayOptions, playTranscript, wordOf } from './testing/play.ts';
export { parseTranscript, significantLines, type Step } from './testing/transcript.ts';
