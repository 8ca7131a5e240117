import type { JsonObject } from '@dramaturg/compiler';
import * as z from 'zod/mini';
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

export interface Hook {
  readonly agent: string;
  /** A template of its input; undefined passes everything. */
  readonly parameters: JsonObject | undefined;
}

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

export interface RateLimit {
  /** How many calls in how many milliseconds. */
  readonly windows: readonly RateWindow[];
  /** How many calls may follow one another without a pause. Later calls keep to the rate of the first window. */
  readonly burst: number | undefined;
  /** How many calls may run at the same time. */
  readonly concurrent: number | undefined;
  readonly waits: boolean;
}

/** Allowed and denied strings of some kind: names of hosts, or paths. */
export interface Lists {
  /** Undefined allows all. */
  readonly allowed: readonly string[] | undefined;
  readonly denied: readonly string[];
}

export interface Tools extends Lists {
  /** The fields that limit tools by other means than their names. */
  readonly limiting: readonly string[];
  readonly limits: Readonly<Record<string, RateLimit>>;
  /** Milliseconds. */
  readonly timeout: number | undefined;
  readonly defaults: Readonly<Record<string, JsonObject>>;
  readonly schemas: Readonly<Record<string, JsonObject>>;
  /** Bytes of a tool's result as JSON. */
  readonly largest: Readonly<Record<string, number>>;
  readonly hooks: Readonly<Partial<Record<HookName, Hook>>>;
  /** Events do not have the arguments of tools. */
  readonly hidesArguments: boolean;
  readonly hosts: Lists | undefined;
  readonly paths: (Lists & { readonly extensions: readonly string[] | undefined }) | undefined;
  /** As authored, with the workflow's own tools and categories filled in. */
  readonly authored: JsonObject;
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
