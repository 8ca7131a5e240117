import type { Compiled } from '@dramaturg/compiler';
import * as host from '@dramaturg/host';
import { behaviours, chartOf } from './host.ts';

/**
 * Runs a definition once, in memory, from a recording: for tests. With `UPDATE_RECORDINGS=1` in the environment it is run
 * with the real ports, and recorded. See docs/recording.md#in-a-test
 *
 *     const { events, output } = await rehearse(compile(text), { recording: 'ada.recording', lines, ports });
 *
 * @throws TypeError when the definition has errors
 * @throws RecordingError `recording/unusable` when there is no sound recording; `recording/differs` with the first
 *   difference when the run goes another way than it was recorded
 */
export async function rehearse(
  definition: Compiled,
  options: host.RehearseOptions,
): Promise<host.Rehearsed> {
  const chart = chartOf(definition, definition.chart?.id ?? 'The definition');
  return host.rehearse(chart, behaviours.get(chart.format)!, options);
}
