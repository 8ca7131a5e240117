import type { Compiled } from '@dramaturg/compiler';
import * as host from '@dramaturg/host';
import { behaviours, chartOf } from './host.ts';

/**
 * Runs a definition once, in memory, from a recording: for tests. With `UPDATE_RECORDINGS=1` in the environment it runs
 * with the real ports and writes the recording. See docs/recording.md#in-a-test
 *
 * @throws TypeError when the definition has errors
 * @throws RecordingError `recording/unusable` when the recording is missing or damaged; `recording/differs` with the first
 *   difference when the run differs from its recording
 *
 * @example
 * ```ts
 * const ports = () => ({ runAgent: async () => ({ result: 40 }) });
 * const recording = 'pricing.recording';
 * await rehearse(pricing, { recording, ports, update: true });
 * const { output } = await rehearse(pricing, { recording, ports, update: false });
 * console.log(output); // → { status: 'succeeded', output: 40 }
 * ```
 */
export async function rehearse(
  definition: Compiled,
  options: host.RehearseOptions,
): Promise<host.RehearsalResult> {
  const chart = chartOf(definition, definition.chart?.id ?? 'The definition');
  return host.rehearse(chart, behaviours.get(chart.format)!, options);
}
