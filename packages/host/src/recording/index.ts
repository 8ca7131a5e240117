export { RecordingError, type RecordingErrorCode } from './errors.ts';
export { type RecordingFile, recordingFile } from './file.ts';
export { type Recorded, readRecording } from './read.ts';
export { record, type RecordOptions } from './recorder.ts';
export { type Recording, unrecorded } from './recording.ts';
export { rehearse, type Rehearsed, type RehearseOptions } from './rehearse.ts';
export { replay, type ReplayOptions } from './replayer.ts';
