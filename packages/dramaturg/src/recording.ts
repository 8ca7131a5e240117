/** Recordings of runs, and tests with them. See docs/recording.md */
export * from './recording-browser.ts';
export { eraseRecordings, recordingFile, type RehearseOptions } from '@dramaturg/host';
export { rehearse } from './rehearse.ts';
