import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { RecordingError } from './errors.ts';

/** A file that takes the text of a recording. */
export interface RecordingFile {
  readonly write: (lines: string) => void;
  readonly close: () => void;
}

/**
 * Writes to a file as the run goes on, so that a run that is killed leaves what was until then. It is made with the first
 * line. A recording that is there already is replaced; a file that is none is not.
 *
 * @throws RecordingError `recording/unreadable` when the file is there and no recording
 */
export function recordingFile(path: string): RecordingFile {
  requireReplaceable(path);
  let file: number | undefined;
  return {
    write: (lines) => {
      file ??= openSync(path, 'w');
      // One write may take only part of a text.
      for (let rest = Buffer.from(lines); rest.length > 0;)
        rest = rest.subarray(writeSync(file, rest));
    },
    close: () => {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

const beginning = '{"type":"recording"';

function requireReplaceable(path: string): void {
  const start = Buffer.alloc(beginning.length);
  let length: number;
  try {
    const file = openSync(path, 'r');
    try {
      length = readSync(file, start);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (length === 0 || start.toString('utf8', 0, length) === beginning) return;
  throw new RecordingError(
    'recording/unreadable',
    `"${path}" is there already, and is no recording.`,
    'Name another file: only a recording is replaced.',
  );
}
