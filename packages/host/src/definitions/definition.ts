import { type Chart, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { atOnce, type Sliced } from '@dramaturg/compiler/machine';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { badRequest } from '../errors.ts';
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
  throw badRequest(
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
export function* jsonParts(value: unknown): Generator<string> {
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

/** A large object in the store: JSON texts of some of its members, and its large members by key. */
type Packed = string | readonly (string | { readonly key: string; readonly value: Packed })[];

/** A chart as it is stored: a large one in texts, which are written and read in slices. */
export function* packing(chart: Chart): Sliced<Json> {
  const isSmall = lengthBelow(charactersPerSlice, chart) !== undefined;
  return (isSmall ? chart : yield* packed(chart)) as unknown as Json;
}

function* packed(value: unknown): Sliced<Packed> {
  yield;
  if (!isRecord(value)) return JSON.stringify(value);
  const parts: Exclude<Packed, string>[number][] = [];
  let text = '';
  const end = () => {
    if (text !== '') parts.push(`{${text}}`);
    text = '';
  };
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    if (lengthBelow(charactersPerSlice, member) === undefined) {
      end();
      parts.push({ key, value: yield* packed(member) });
      continue;
    }
    text += `${text && ','}${JSON.stringify(key)}:${JSON.stringify(member)}`;
    if (text.length < charactersPerSlice) continue;
    end();
    yield;
  }
  end();
  return parts;
}

/** The chart that `packing` has made. A record may be damaged: `checkedChart` checks what this returns. */
export function* unpacking(stored: Json): Sliced<Json> {
  return Array.isArray(stored) ? yield* unpacked(stored as Packed) : stored;
}

function* unpacked(value: Packed): Sliced<Json> {
  yield;
  if (typeof value === 'string') return JSON.parse(value) as Json;
  const members: [string, Json][] = [];
  for (const part of value) {
    if (typeof part === 'string')
      for (const member of Object.entries(JSON.parse(part) as JsonObject)) members.push(member);
    else members.push([part.key, yield* unpacked(part.value)]);
    yield;
  }
  return Object.fromEntries(members);
}

/** How many characters are written and hashed between two turns of the event loop: a few milliseconds. */
const charactersPerSlice = 200_000;

/**
 * Versions by chart, because charts never change and a host hashes the same ones again and again. The keys of the maps are
 * lifecycles as JSON.
 */
const versions = new WeakMap<Chart, Map<string, string>>();
