export { type RecordingFile, recordingFile } from './file.ts';
export { rehearse, type Rehearsed, type RehearseOptions } from './rehearse.ts';
