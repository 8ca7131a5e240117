import { accessSync, closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { RecordingError } from './recording-error.ts';

/** A file that takes the text of a recording. */
export interface RecordingFile {
  readonly write: (lines: string) => void;
  readonly close: () => void;
}

/**
 * Writes to a file as the run goes on, so that a run that is killed leaves what was until then. It is made with the first
 * line. A recording that is there already is replaced; a file that is none is not.
 *
 * @throws RecordingError `recording/unusable` when the file is there and no recording, or its folder is not there
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

/** Found out before the run: afterwards what it has cost would be lost. */
function requireReplaceable(path: string): void {
  const start = startOf(path);
  if (start === undefined) {
    requireFolder(path);
    return;
  }
  accessSync(path, constants.W_OK);
  if (start === '' || start === beginning) return;
  throw new RecordingError(
    'recording/unusable',
    `"${path}" is there already, and is no recording.`,
    'Name another file: only a recording is replaced.',
  );
}

/** How the file begins; undefined when there is none. */
function startOf(path: string): string | undefined {
  const bytes = Buffer.alloc(beginning.length);
  try {
    const file = openSync(path, 'r');
    try {
      return bytes.toString('utf8', 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code !== 'EISDIR') throw error;
    throw new RecordingError(
      'recording/unusable',
      `"${path}" is a folder.`,
      'Name a file for the recording.',
    );
  }
}

function requireFolder(path: string): void {
  const folder = dirname(path);
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new RecordingError(
      'recording/unusable',
      `There is no folder "${folder}" for the recording.`,
      'Make it, or name a file in another one.',
    );
  }
}
