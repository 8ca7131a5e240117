import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { parseDuration } from '../data/timestamp.ts';
import {
  type Hook,
  limitingToolFields,
  type Lists,
  type RateLimit,
  type Tools,
} from '../definition/tools.ts';
import { fieldsAt, partOf, type Part } from '../authored.ts';
import {
  asRecord,
  type CommonTools,
  longestList,
  optionalNumber,
  optionalObject,
  optionalString,
  type Reading,
  readTexts,
} from './fields.ts';

/**
 * @param around of a template: the tools of the workflow that includes it. Its denied tools stay denied, by the
 * categories of that workflow.
 */
export function readCommonTools(
  authored: Part,
  reading: Pick<Reading, 'report'>,
  around?: CommonTools,
): CommonTools {
  const { value: fields } = authored;
  requireShortLists(partOf(authored, 'DefaultTools'), reading);
  const named = partOf(authored, 'ToolCategories');
  for (const name of Object.keys(named?.value ?? {})) readTexts(named!, name, reading);
  const own = optionalObject(fields['DefaultTools']);
  const defaults = around?.defaults;
  const categories = { ...around?.categories, ...asRecord(fields['ToolCategories']) };
  const all = { ...defaults, ...own, ...deniedBy([defaults, own], categories) };
  return { defaults: own || defaults ? all : undefined, categories };
}

/** The tools of a task: its own fields replace the workflow's, and both lists of denied tools apply. */
export function readTools(task: Part, reading: Reading): Tools | undefined {
  const part = partOf(task, 'Tools');
  requireShortLists(part, reading);
  const own = part?.value as JsonObject | undefined;
  const { defaults, categories = {} } = reading.tools ?? {};
  if (!own && !defaults) return undefined;
  const authored = filledIn({ ...defaults, ...own }, [defaults, own], categories);
  const network = asRecord(authored['Network']);
  const files = authored['FileSystem'];
  const perMinute = optionalNumber(network['MaxRequestsPerMinute']);
  return {
    allowed: allowedOf(authored['Allowed']),
    denied: namesOf(authored['Denied']) ?? [],
    limiting: limitingToolFields.filter((path) =>
      fieldsAt({ value: authored, at: [] }, path).some(({ owner, field }) =>
        Boolean(owner.value[field]),
      ),
    ),
    limits: {
      ...(perMinute !== undefined && { '*': limitOf({ MaxPerMinute: perMinute }) }),
      ...mapRecord(authored['RateLimits'], limitOf),
    },
    timeout:
      typeof authored['Timeout'] === 'string' ? parseDuration(authored['Timeout']) : undefined,
    defaults: mapRecord(authored['Parameters'], (defaultsOfTool) => defaultsOfTool as JsonObject),
    schemas: mapRecord(authored['Validation'], (one) =>
      optionalObject(asRecord(one['Input'])['Schema']),
    ),
    largest: mapRecord(authored['Validation'], (one) => sizeOf(asRecord(one['Output'])['MaxSize'])),
    hooks: mapRecord(authored['Hooks'], hookOf),
    hidesArguments: asRecord(authored['Audit'])['IncludeParameters'] === false,
    hosts: isRecord(authored['Domains'])
      ? listsOf(authored['Domains'], 'Allowed', 'Denied')
      : isRecord(authored['Network'])
        ? listsOf(network, 'AllowedDomains', 'DeniedDomains')
        : undefined,
    paths: isRecord(files)
      ? {
          ...listsOf(files, 'AllowedPaths', 'DeniedPaths'),
          extensions: namesOf(files['AllowedExtensions']),
        }
      : undefined,
    authored,
  };
}

/** The lists of names in a block of tools, by the part of it that they are in. */
const lists = {
  Tools: ['Allowed', 'AllowedCategories', 'Denied'],
  Domains: ['Allowed', 'Denied'],
  Network: ['AllowedDomains', 'DeniedDomains'],
  FileSystem: ['AllowedPaths', 'DeniedPaths', 'AllowedExtensions'],
} as const;

/** Reports lists that are too long: each task copies them, and a denied tool must not be cut off silently. */
function requireShortLists(tools: Part | undefined, reading: Pick<Reading, 'report'>): void {
  if (!tools) return;
  for (const [name, fields] of Object.entries(lists)) {
    const part = name === 'Tools' ? tools : partOf(tools, name);
    if (part) for (const field of fields) readTexts(part, field, reading);
  }
}

function filledIn(
  merged: JsonObject,
  sources: readonly (JsonObject | undefined)[],
  categories: Readonly<Record<string, unknown>>,
): JsonObject {
  const { AllowedCategories: allowedCategories, ...rest } = merged;
  const allowed = namesOf(rest['Allowed']);
  const byCategory = namesOf(allowedCategories)?.flatMap((name) => toolsIn(name, categories));
  return {
    ...rest,
    ...((allowed ?? byCategory) && {
      Allowed: unique([...(allowed ?? []), ...(byCategory ?? [])]),
    }),
    ...deniedBy(sources, categories),
  };
}

/** The tools that any source denies, with categories resolved. */
function deniedBy(
  sources: readonly (JsonObject | undefined)[],
  categories: Readonly<Record<string, unknown>>,
): { readonly Denied?: string[] } {
  const denied = sources.flatMap((source) => namesOf(source?.['Denied']) ?? []);
  if (denied.length === 0) return {};
  return { Denied: unique(denied.flatMap((name) => [name, ...toolsIn(name, categories)])) };
}

function toolsIn(name: string, categories: Readonly<Record<string, unknown>>): string[] {
  return Object.hasOwn(categories, name) ? (namesOf(categories[name]) ?? []) : [];
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}

function allowedOf(written: unknown): readonly string[] | undefined {
  const names = namesOf(written);
  return names?.includes('*') ? undefined : names;
}

function namesOf(written: unknown): string[] | undefined {
  return Array.isArray(written)
    ? written.slice(0, longestList).filter((name) => typeof name === 'string')
    : undefined;
}

function listsOf(
  fields: Readonly<Record<string, unknown>>,
  allowed: string,
  denied: string,
): Lists {
  return { allowed: allowedOf(fields[allowed]), denied: namesOf(fields[denied]) ?? [] };
}

function limitOf(fields: Readonly<Record<string, unknown>>): RateLimit {
  const minute = 60_000;
  const windows = [
    ['MaxPerMinute', minute],
    ['MaxPerHour', 60 * minute],
    ['MaxPerDay', 24 * 60 * minute],
  ] as const;
  return {
    windows: windows.flatMap(([field, milliseconds]) => {
      const most = optionalNumber(fields[field]);
      return most === undefined ? [] : [{ most, milliseconds }];
    }),
    burst: optionalNumber(fields['BurstLimit']),
    concurrent: optionalNumber(fields['MaxConcurrent']),
    waits: ['wait', 'queue'].includes(optionalString(fields['OnExceed']) ?? ''),
  };
}

function hookOf(fields: Readonly<Record<string, unknown>>): Hook | undefined {
  const agent = optionalString(fields['Agent']);
  return agent === undefined
    ? undefined
    : { agent, parameters: optionalObject(fields['Parameters']) };
}

const units: Readonly<Record<string, number>> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };

/** `10M`, `500KB`, or bytes. */
function sizeOf(written: unknown): number | undefined {
  if (typeof written === 'number') return written;
  const parts =
    typeof written === 'string' ? /^(\d{1,12})\s*([KMG]?)B?$/i.exec(written.trim()) : null;
  return parts ? Number(parts[1]) * units[parts[2]!.toUpperCase()]! : undefined;
}

function mapRecord<Mapped>(
  written: unknown,
  map: (fields: Readonly<Record<string, Json>>) => Mapped | undefined,
): Readonly<Record<string, Mapped>> {
  return Object.fromEntries(
    Object.entries(asRecord(written)).flatMap(([name, fields]) => {
      const mapped = isRecord(fields) ? map(fields as JsonObject) : undefined;
      return mapped === undefined ? [] : [[name, mapped]];
    }),
  );
}
