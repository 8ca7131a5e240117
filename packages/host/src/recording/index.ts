export { type RecordingFile, recordingFile } from './recording-file.ts';
export { rehearse, type Rehearsed, type RehearseOptions } from './rehearse.ts';
