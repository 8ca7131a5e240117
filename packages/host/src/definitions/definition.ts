import { type Chart, isRecord } from '@dramaturg/compiler';
import { atOnce, type Sliced } from '@dramaturg/compiler/machine';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { HostError } from '../errors.ts';
import { lengthBelow } from '../instance/journal-lines.ts';
import type { DefinitionVersion } from '../store/contract.ts';

/** A definition that a host runs instances of. */
export interface Definition {
  /** The name for `start`. */
  readonly name: string;
  readonly chart: Chart;
  /** The lifecycle of its instances; `own` when the chart is a lifecycle itself, without a flow. */
  readonly lifecycle: Chart | 'own';
  /** The source of the chart. It is stored with the chart for people to read. */
  readonly source?: DefinitionSource;
}

export type DefinitionSource = {
  readonly text: string;
};

/** @throws HostError `host/bad-request`. The chart is not checked again: `compile` or `fromJson` has returned it. */
export function requireDefinition(given: Definition): Definition {
  const { name, chart, lifecycle } = Object(given) as Partial<Definition>;
  const isChart = (value: unknown) => isRecord(value) && value['chart'] === 1;
  if (typeof name === 'string' && isChart(chart) && (lifecycle === 'own' || isChart(lifecycle)))
    return given;
  throw new HostError(
    'host/bad-request',
    'A definition is an object: { name, chart, lifecycle }, with charts that "compile" has returned. The lifecycle may be "own".',
  );
}

export function isSameVersion(one: DefinitionVersion, other: DefinitionVersion): boolean {
  return one.name === other.name && one.version === other.version;
}

/**
 * The version of a chart: a hash of the chart and of the version of its lifecycle.
 */
export function versionOf(chart: Chart, lifecycle?: DefinitionVersion): string {
  return atOnce(versioning(chart, lifecycle));
}

/** As `versionOf`. */
export function* versioning(chart: Chart, lifecycle?: DefinitionVersion): Sliced<string> {
  const life = lifecycle ? JSON.stringify(lifecycle) : '';
  const own = versions.get(chart) ?? new Map<string, string>();
  versions.set(chart, own);
  const known = own.get(life);
  if (known !== undefined) return known;
  const hash = sha256.create();
  let text = '';
  for (const part of jsonParts(lifecycle ? { chart, life: lifecycle } : chart)) {
    text += part;
    if (text.length < charactersPerSlice) continue;
    hash.update(utf8ToBytes(text));
    text = '';
    yield;
  }
  const version = bytesToHex(hash.update(utf8ToBytes(text)).digest()).slice(0, 16);
  own.set(life, version);
  return version;
}

/** The text of `JSON.stringify` in parts. A member of a large object or list is a part, or several. */
function* jsonParts(value: unknown): Generator<string> {
  const isSmall = lengthBelow(charactersPerSlice, value) !== undefined;
  if (isSmall || typeof value !== 'object' || value === null) {
    yield value === undefined ? 'null' : JSON.stringify(value);
    return;
  }
  const isList = Array.isArray(value);
  let separator = isList ? '[' : '{';
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined && !isList) continue;
    yield isList ? separator : `${separator}${JSON.stringify(key)}:`;
    yield* jsonParts(member);
    separator = ',';
  }
  yield isList ? ']' : '}';
}

/** How many characters are written and hashed between two turns of the event loop: a few milliseconds. */
const charactersPerSlice = 200_000;

/**
 * Versions by chart, because charts never change and a host hashes the same ones again and again. The keys of the maps are
 * lifecycles as JSON.
 */
const versions = new WeakMap<Chart, Map<string, string>>();
