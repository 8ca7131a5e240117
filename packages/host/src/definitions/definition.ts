import { createHash } from 'node:crypto';
import type { Chart } from '@dramaturg/compiler';

/** What a host runs instances of. */
export interface Definition {
  /** What `start` calls it. */
  readonly name: string;
  readonly chart: Chart;
  /** The lifecycle that its instances live by; `own` when the chart is a lifecycle itself, with nothing to perform. */
  readonly life: Chart | 'own';
}

/** The version of a chart: the same text is the same version, wherever and whenever it was compiled. */
export function versionOf(chart: Chart): string {
  return createHash('sha256').update(JSON.stringify(chart)).digest('hex').slice(0, 16);
}
