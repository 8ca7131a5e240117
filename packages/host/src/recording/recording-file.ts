import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { RecordingError } from './recording.ts';

/** A file that a recording is written to. */
export interface RecordingFile {
  readonly write: (lines: string) => void;
  readonly close: () => void;
}

/**
 * Writes to a file during the run, so that a killed run leaves a recording up to its end. The first line creates the file. An
 * existing recording is replaced; another file is not. Only the owner of the file may read it.
 *
 * @throws RecordingError `recording/unusable` when the file exists and is not a recording, or its folder does not exist
 *
 * @example
 * ```ts
 * const file = recordingFile('price.recording');
 * const recording = record({ write: file.write, chart: pricing.chart!, input: {} });
 * const ports = recording.ports({ runAgent: async () => ({ result: 40 }) });
 * await toPromise(createActor(providePorts(pricing.machine!, ports)).start());
 * await recording.finish();
 * file.close();
 * ```
 */
export function recordingFile(path: string): RecordingFile {
  requireReplaceable(path);
  let file: number | undefined;
  return {
    write: (lines) => {
      file ??= createPrivate(path);
      // One write may accept only a part.
      for (let rest = Buffer.from(lines); rest.length > 0;)
        rest = rest.subarray(writeSync(file, rest));
    },
    close: () => {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

function createPrivate(path: string): number {
  const file = openSync(path, 'w', 0o600);
  // Otherwise a replaced recording would keep its permissions.
  fchmodSync(file, 0o600);
  return file;
}

const beginning = '{"type":"recording"';

/** Checked before the run, because a run that cannot be saved wastes the cost of its calls. */
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
    `"${path}" exists already and is not a recording.`,
    'Name another file: only a recording is replaced.',
  );
}

/** The first bytes of the file; undefined when it does not exist. */
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
      'Create it, or name a file in another folder.',
    );
  }
}
