import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import * as z from 'zod/mini';
import { fieldsAt, type Part, partOf } from '../authored.ts';
import { parseDuration } from '../data/timestamp.ts';
import {
  asRecord,
  longestList,
  optionalNumber,
  optionalObject,
  optionalString,
  readTexts,
  type Reporting,
} from '../normalise/fields.ts';
import {
  block,
  type Blocks,
  flag,
  optional,
  positiveCount,
  text,
  type UnenforcedFields,
} from './field.ts';

const names = z.array(text);

/** Agent 4 §Rate limits */
const rateLimit = z.object({
  MaxPerMinute: optional(positiveCount, 'The most calls in a minute.'),
  MaxPerHour: optional(positiveCount, 'The most calls in an hour.'),
  MaxPerDay: optional(positiveCount, 'The most calls in a day.'),
  MaxConcurrent: optional(positiveCount, 'The most calls at once.'),
  BurstLimit: optional(positiveCount, 'The most calls in a burst.'),
  OnExceed: optional(z.enum(['fail', 'wait', 'queue']), '`fail` when left out; `queue` is `wait`.'),
});

const domains = z.object({
  Allowed: optional(names, 'The only names that may be used.'),
  Denied: optional(names, 'Names that may not be used.'),
});

const validation = z.object({
  Input: optional(z.object({ Schema: z.optional(block) }), 'The JSON Schema of the arguments.'),
  Output: optional(
    z.object({
      MaxSize: optional(z.union([text, positiveCount]), 'The largest result.'),
      Sanitize: optional(flag, 'Whether results are cleaned.'),
    }),
    'The JSON Schema of the result.',
  ),
});

const network = z.object({
  AllowedDomains: optional(names, 'The only hosts that tools may reach.'),
  DeniedDomains: optional(names, 'Hosts that tools may not reach.'),
  MaxRequestsPerMinute: optional(positiveCount, 'The most requests in a minute.'),
});

const fileSystem = z.object({
  AllowedPaths: optional(names, 'The only paths that tools may open.'),
  DeniedPaths: optional(names, 'Paths that tools may not open.'),
  AllowedExtensions: optional(names, 'The only endings of files that tools may open.'),
  MaxFileSize: optional(z.union([text, positiveCount]), 'The largest file.'),
});

const hook = z.object({ Agent: text, Parameters: z.optional(block) });

/** Agents that are called around each call of a tool. Agent 4 §Hooks */
const hooks = z.object({
  /** May refuse the call. */
  Before: optional(hook, 'The agent that is called before a tool.'),
  /** May withhold the result. */
  After: optional(hook, 'The agent that is called after a tool.'),
  /** Is called when the tool has failed. */
  OnError: z.optional(hook),
});

export type HookName = keyof z.infer<typeof hooks>;

export type Hook = NonNullable<ReturnType<typeof hookOf>>;

/** Each call of a tool is an event; the other fields say how much it shows. */
const toolAudit = z.object({
  Enabled: optional(flag, 'Whether it applies.'),
  LogLevel: optional(text, 'How much is recorded.'),
  IncludeParameters: optional(
    flag,
    'Whether events have the arguments of tools; true when left out.',
  ),
});

/** Which tools an agent may use, and how. Agent 4 §Tools */
export const tools = z.object({
  /** The only tools the agent may use; none when empty, all when `*` is among them. Agent 4 §Tools */
  Allowed: optional(names, 'The only names that may be used.'),
  /** Tools, or categories of them, it may not use; it may use all others when `Allowed` is left out. Agent 4 §Tools */
  Denied: optional(names, 'Names that may not be used.'),
  /** Names in the `ToolCategories` of the workflow. Agent 4 §Tools */
  AllowedCategories: optional(names, 'The only categories of tools that may be used.'),
  /** Agent 4 §Rate limits */
  RateLimits: optional(
    z.record(z.string(), rateLimit),
    'By tool, or `*` for those that have none of their own.',
  ),
  /** Agent 4 §Tools */
  Timeout: optional(text, 'How long a call of a tool may take.'),
  /** Agent 4 §Parameters */
  Parameters: optional(z.record(z.string(), block), 'Arguments that are added, by tool.'),
  /** Agent 4 §Validation */
  Validation: optional(
    z.record(z.string(), validation),
    'What arguments and results have to fulfil.',
  ),
  /** Agent 4 §Domains */
  Domains: optional(domains, 'The hosts that tools may reach.'),
  /** `Domains` of tutorial 14. */
  Network: optional(network, 'The hosts that tools may reach.'),
  /** Agent 4 §Files */
  FileSystem: optional(fileSystem, 'The files that tools may open.'),
  /** Agent 4 §Sandbox */
  Sandboxed: optional(flag, 'Whether tools run in a sandbox.'),
  Sandbox: optional(block, 'What the sandbox allows.'),
  /** Agent 4 §Hooks */
  Hooks: optional(hooks, 'Agents that are called around each call of a tool.'),
  /** Tutorial 7 */
  Audit: optional(toolAudit, 'What the record of calls shows.'),
});

export interface RateWindow {
  readonly most: number;
  readonly milliseconds: number;
}

/** Allowed and denied strings of some kind: names of hosts, or paths. */
export type Lists = ReturnType<typeof listsOf>;

export type Tools = NonNullable<ReturnType<typeof readTools>>;

/** The tools that a workflow declares for all its tasks. */
export interface CommonTools {
  readonly defaults: JsonObject | undefined;
  readonly categories: Readonly<Record<string, unknown>>;
}

/** The blocks of a set of tools whose fields are checked, by the field that holds the set. */
export function toolBlocks(field: string): Blocks {
  return {
    [field]: ['A set of tools', tools],
    [`${field}.RateLimits.*`]: ['A rate limit', rateLimit],
    [`${field}.Validation.*`]: ['The validation of a tool', validation],
    [`${field}.Validation.*.Input`]: [
      'The validation of arguments',
      validation.shape.Input.def.innerType,
    ],
    [`${field}.Validation.*.Output`]: [
      'The validation of results',
      validation.shape.Output.def.innerType,
    ],
    [`${field}.Domains`]: ['The domains of tools', domains],
    [`${field}.Network`]: ['The network of tools', network],
    [`${field}.Hooks`]: ['The hooks of tools', hooks],
    [`${field}.Hooks.*`]: ['A hook of tools', hook],
    [`${field}.Audit`]: ['The audit of tools', toolAudit],
    [`${field}.FileSystem`]: ['The file system of tools', fileSystem],
  };
}

const ownProcess = 'tools run where the port "callTool" runs them';

/** Fields of a set of tools that should limit or protect something and do not, with the reason. */
export const unenforcedToolFields: UnenforcedFields = {
  Sandboxed: ownProcess,
  Sandbox: ownProcess,
  'Validation.*.Output.Sanitize': 'results of tools are passed on as they are',
  'FileSystem.MaxFileSize': 'the sizes of files are not known before a tool opens them',
};

/** The fields that limit tools by other means than their names. */
export const limitingToolFields: readonly string[] = [
  'RateLimits',
  'Timeout',
  'Validation',
  'Domains',
  'Network',
  'FileSystem',
  'Hooks',
  ...Object.keys(unenforcedToolFields),
];

/**
 * @param around of a template: the tools of the workflow that includes it. Its denied tools stay denied, by the
 * categories of that workflow.
 */
export function readCommonTools(
  authored: Part,
  reading: Reporting,
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
export function readTools(task: Part, reading: Reporting & { readonly tools?: CommonTools }) {
  const part = partOf(task, 'Tools');
  requireShortLists(part, reading);
  const own = part?.value as JsonObject | undefined;
  const { defaults, categories = {} } = reading.tools ?? {};
  if (!own && !defaults) return undefined;
  const authored = filledIn({ ...defaults, ...own }, [defaults, own], categories);
  const reach = asRecord(authored['Network']);
  const files = authored['FileSystem'];
  const perMinute = optionalNumber(reach['MaxRequestsPerMinute']);
  return {
    allowed: allowedOf(authored['Allowed']),
    denied: namesOf(authored['Denied']) ?? [],
    /** The fields that limit tools by other means than their names. */
    limiting: limitingToolFields.filter((path) =>
      fieldsAt({ value: authored, at: [] }, path).some(({ owner, field }) =>
        Boolean(owner.value[field]),
      ),
    ),
    limits: {
      ...(perMinute !== undefined && { '*': limitOf({ MaxPerMinute: perMinute }) }),
      ...mapRecord(authored['RateLimits'], limitOf),
    },
    /** Milliseconds. */
    timeout:
      typeof authored['Timeout'] === 'string' ? parseDuration(authored['Timeout']) : undefined,
    defaults: mapRecord(authored['Parameters'], (defaultsOfTool) => defaultsOfTool as JsonObject),
    schemas: mapRecord(authored['Validation'], (one) =>
      optionalObject(asRecord(one['Input'])['Schema']),
    ),
    /** Bytes of a tool's result as JSON. */
    largest: mapRecord(authored['Validation'], (one) => sizeOf(asRecord(one['Output'])['MaxSize'])),
    hooks: mapRecord(authored['Hooks'], hookOf),
    /** Events do not have the arguments of tools. */
    hidesArguments: asRecord(authored['Audit'])['IncludeParameters'] === false,
    hosts: isRecord(authored['Domains'])
      ? listsOf(authored['Domains'], 'Allowed', 'Denied')
      : isRecord(authored['Network'])
        ? listsOf(reach, 'AllowedDomains', 'DeniedDomains')
        : undefined,
    paths: isRecord(files)
      ? {
          ...listsOf(files, 'AllowedPaths', 'DeniedPaths'),
          extensions: namesOf(files['AllowedExtensions']),
        }
      : undefined,
    /** As authored, with the workflow's own tools and categories filled in. */
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
function requireShortLists(owner: Part | undefined, reading: Reporting): void {
  if (!owner) return;
  for (const [name, fields] of Object.entries(lists)) {
    const part = name === 'Tools' ? owner : partOf(owner, name);
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

function unique(listed: readonly string[]): string[] {
  return [...new Set(listed)];
}

function allowedOf(written: unknown): readonly string[] | undefined {
  const listed = namesOf(written);
  return listed?.includes('*') ? undefined : listed;
}

function namesOf(written: unknown): string[] | undefined {
  return Array.isArray(written)
    ? written.slice(0, longestList).filter((name) => typeof name === 'string')
    : undefined;
}

function listsOf(fields: Readonly<Record<string, unknown>>, allowed: string, denied: string) {
  return { allowed: allowedOf(fields[allowed]), denied: namesOf(fields[denied]) ?? [] };
}

function limitOf(fields: Readonly<Record<string, unknown>>) {
  const minute = 60_000;
  const windows = [
    ['MaxPerMinute', minute],
    ['MaxPerHour', 60 * minute],
    ['MaxPerDay', 24 * 60 * minute],
  ] as const;
  return {
    /** How many calls in how many milliseconds. */
    windows: windows.flatMap(([field, milliseconds]) => {
      const most = optionalNumber(fields[field]);
      return most === undefined ? [] : [{ most, milliseconds }];
    }),
    /** How many calls may follow one another without a pause. Later calls keep to the rate of the first window. */
    burst: optionalNumber(fields['BurstLimit']),
    /** How many calls may run at the same time. */
    concurrent: optionalNumber(fields['MaxConcurrent']),
    waits: ['wait', 'queue'].includes(optionalString(fields['OnExceed']) ?? ''),
  };
}

function hookOf(fields: Readonly<Record<string, unknown>>) {
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
