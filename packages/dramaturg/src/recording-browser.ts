/** The entry `recording` for browsers: everything except files. */
export {
  readRecording,
  record,
  type RecordedRun,
  type Recording,
  RecordingError,
  replay,
  unrecorded,
} from '@dramaturg/host/browser';
