import { resolve } from 'node:path';
import type { Compiled, JsonObject } from '@dramaturg/compiler';
import { visible } from '@dramaturg/compiler/text';
import {
  readRecording,
  record,
  type RecordedRun,
  type Recording,
  recordingFile,
  type RecordOptions,
  replay,
  unrecorded,
} from '@dramaturg/host';
import { readText, standardInput, titleOf } from './files.ts';
import { UsageError } from './usage-error.ts';

export interface RecordingOptions {
  /** The file that a run is recorded in. */
  readonly record?: string;
  /** The file that a run is replayed from. */
  readonly replay?: string;
  /** The person whom the recording is about. */
  readonly contact?: string;
}

/** Records or replays a run, or does neither. */
export interface Tape {
  /** The recording to replay, with the input of its run. */
  readonly recorded?: RecordedRun;
  /** Begins to record or replay a run with this input. */
  readonly start: (input: JsonObject, more?: Pick<RecordOptions, 'busy'>) => Recording;
}

/** @param read files that the run reads, and that its recording must not overwrite */
export async function tapeOf(
  { record: into, replay: from, contact }: RecordingOptions,
  { chart }: Compiled,
  read: readonly (string | undefined)[],
): Promise<Tape> {
  if (from !== undefined) {
    const recorded = readRecording(await readText(from), visible(titleOf(from)));
    return { recorded, start: () => replay({ recorded, chart: chart! }) };
  }
  if (into === undefined) return { start: () => unrecorded };
  if (into === '' || into === standardInput) {
    throw new UsageError(
      '--record needs the name of a file.',
      'Write it like this: --record talk.recording',
    );
  }
  if (read.some((file) => file !== undefined && resolve(file) === resolve(into))) {
    throw new UsageError(
      `The run reads "${visible(into)}", and the recording would overwrite it.`,
      'Name another file, such as: --record talk.recording',
    );
  }
  return {
    start: (input, more) => {
      const { write, close } = recordingFile(into);
      const recording = record({ write, chart: chart!, input, contact, ...more });
      return {
        ...recording,
        finish: () => recording.finish().finally(close),
      };
    },
  };
}
