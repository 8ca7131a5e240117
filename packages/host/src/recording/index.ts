export { type ErasedRecordings, eraseRecordings } from './erase-recordings.ts';
export { recordingFile } from './recording-file.ts';
export { rehearse, type RehearsalResult, type RehearseOptions } from './rehearse.ts';
