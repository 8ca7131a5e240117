import type { Chart } from '@dramaturg/compiler';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { DefinitionVersion } from '../store/contract.ts';

/** What a host runs instances of. */
export interface Definition {
  /** What `start` calls it. */
  readonly name: string;
  readonly chart: Chart;
  /** The lifecycle that its instances live by; `own` when the chart is a lifecycle itself, with nothing to perform. */
  readonly lifecycle: Chart | 'own';
  /** What the chart was compiled from. It is stored with the chart, for people to look at. */
  readonly source?: DefinitionSource;
}

export type DefinitionSource = {
  readonly text: string;
};

/**
 * The version of a chart: the same text is the same version, wherever and whenever it was compiled.
 *
 * @param lifecycle the lifecycle beside it, where there is one: with another it is another version
 */
export function versionOf(chart: Chart, lifecycle?: DefinitionVersion): string {
  const text = JSON.stringify(lifecycle ? { chart, life: lifecycle } : chart);
  return bytesToHex(sha256(utf8ToBytes(text))).slice(0, 16);
}
