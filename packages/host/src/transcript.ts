/** Transcripts, played anywhere: what is fed into an actor and what it does, on one readable page. */
export { answerOf, OpenCalls } from './testing/open-calls.ts';
export { type PlayOptions, playTranscript, wordOf } from './testing/play.ts';
export { parseTranscript, significantLines, type Step } from './testing/transcript.ts';
