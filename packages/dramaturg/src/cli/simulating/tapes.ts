import type { Chart } from '@dramaturg/compiler';
import { readRecording, record, recordingFile, replay } from '@dramaturg/host';
import { hasNextReplies } from '@dramaturg/host/engine';
import type { Tape } from '../../simulating/options.ts';
import { readText, statusOf } from '../files.ts';
import { UsageError } from '../usage-error.ts';
import { recordingIn } from './run-folder.ts';

/** Records each conversation of a simulation in a file of its own. */
export function recordingTapes(folder: string, chart: Chart): (name: string) => Promise<Tape> {
  return async (name) => ({
    start: (input) => {
      const { write, close } = recordingFile(recordingIn(folder, name));
      const recording = record({ write, chart, input });
      return { ...recording, finish: () => recording.finish().finally(close) };
    },
  });
}

/**
 * Replays each conversation of a simulation from its file.
 *
 * @throws UsageError when a recording is missing; RecordingError when it is damaged
 */
export function replayingTapes(folder: string, chart: Chart): (name: string) => Promise<Tape> {
  return async (name) => {
    const file = recordingIn(folder, name);
    if (!(await statusOf(file)))
      throw new UsageError(
        `There is no recording "${file}".`,
        'Only simulations with a model are recorded. Those without one are repeated by their seed.',
      );
    const recorded = readRecording(await readText(file), file);
    return {
      input: recorded.header.input,
      nextReplies: hasNextReplies(recorded),
      start: () => replay({ recorded, chart }),
    };
  };
}
