import { isRecord, type Json, type JsonObject, type ToolCall } from '@dramaturg/compiler';
import { mayUseTool } from '@dramaturg/compiler/machine';
import { compileSchema, type Validate } from '../data/json-schema.ts';
import { LinearPattern } from '../data/linear-pattern.ts';
import { SearchBudget } from '../data/pattern.ts';
import { bytesOf } from '../data/size.ts';
import type { Lists, RateWindow, Tools } from '../definition/tools.ts';

/** Finds hosts and files in the arguments of a tool, as leniently as tools do. Agent 4 §Domains, §Files */

/** Every string in the arguments, with the name of its field. */
function textsIn(given: JsonObject): [key: string, text: string][] {
  const found: [string, string][] = [];
  const pending: [string, Json][] = Object.entries(given);
  for (const [key, value] of pending) {
    if (typeof value === 'string') found.push([key, value]);
    else if (Array.isArray(value)) for (const item of value) pending.push([key, item]);
    else if (isRecord(value)) pending.push(...Object.entries(value));
  }
  return found;
}

const hostKeys = /^(?:host|hostname|domain)s?$/i;

/** The host that a string addresses. */
function hostOf(key: string, text: string): string | undefined {
  const plain = plainText(text);
  const authority = /^(?:(?:https?|wss?|ftp):\/*|(?:[a-z][a-z\d+.-]*:)?\/\/)([^/?#]*)/i.exec(
    plain,
  )?.[1];
  if (authority !== undefined) {
    const host = authority.slice(authority.lastIndexOf('@') + 1);
    return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  }
  return hostKeys.test(key) ? plain.toLowerCase() : undefined;
}

const pathKeys =
  /^(?:path|file|filename|filepath|file_path|file_name|directory|dir|folder|source|destination|target)s?$/i;

/** A path that leaves every folder. */
const outside = '..';

/**
 * All paths that a tool may read from a string: tools differ in how they treat blanks, escapes and URLs. A path that
 * leaves its folder is undefined. Web addresses are not paths; most tools take every other URL as an ordinary file
 * name.
 */
function pathsOf(key: string, text: string): (string | undefined)[] {
  const plain = plainText(text);
  if (!pathKeys.test(key) && !/^file:\//i.test(plain)) return [];
  if (/^(?:https?|wss?|ftp):\/\//i.test(plain) && !plain.split('/').includes('..')) return [];
  const written = /^file:/i.test(plain) ? [fileOf(plain)] : [text, plain];
  const read = written.flatMap((path) => [path, decoded(path)]);
  return [...new Set(read)].map((path) => plainPath(path.replaceAll('\\', '/')));
}

/** `file:///a` is `/a`. A URL with a host or a query may be any file. */
function fileOf(address: string): string {
  return /^file:(?:\/\/(?:localhost)?|(?!\/\/))(\/[^?#]*)$/i.exec(address)?.[1] ?? outside;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path.replaceAll(/%(?![\da-f]{2})/gi, '%25'));
  } catch {
    return outside;
  }
}

/** Resolves `.` and `..`; undefined when the path leaves its folder. */
function plainPath(path: string): string | undefined {
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '..') {
      if (steps.length === 0 || steps.at(-1) === '') return undefined;
      steps.pop();
    } else if (step !== '.' && (step !== '' || steps.length === 0)) steps.push(step);
  }
  return steps.join('/');
}

function plainText(text: string): string {
  return text
    .trim()
    .replaceAll(/[\t\n\r]/g, '')
    .replaceAll('\\', '/');
}

/** The result of a tool call. */
export type ToolResult = ToolCall & ({ readonly result: Json } | { readonly error: string });

/** The times at which tools were used, by tool: milliseconds since 1970 UTC, the latest last. */
type ToolUse = Readonly<Record<string, readonly number[]>>;

/** The slice of the program that `Tools` owns. */
export interface ToolsProgram {
  readonly tools: ToolRules;
}

/** The slice of the context that `Tools` owns. */
export interface ToolsContext {
  /** The use of tools with rate limits. */
  readonly toolUse?: ToolUse;
}

/** The slice of the visit that `Tools` owns. */
export interface ToolsVisit {
  /** How often the agent has asked for tools before it answered. */
  readonly rounds: number;
  /** The tool calls that are still to do. */
  readonly wanted: readonly ToolCall[];
  readonly toolResults: readonly ToolResult[];
  /** Milliseconds since 1970 UTC: the end of a wait for a rate limit. */
  readonly heldUntil: number;
  /** The input of the hook that is called next. */
  readonly hookInput: Json;
  /** The hook before the call has refused it. */
  readonly isRefused: boolean;
}

interface ToolRules {
  /** Adds the default arguments to a call. */
  readonly complete: (call: ToolCall) => ToolCall;
  /** Why the call is refused; undefined when it is allowed. */
  readonly refusal: (call: ToolCall) => string | undefined;
  /** When the rate limits allow the next call; now when they allow it immediately. */
  readonly freeAt: (tool: string, use: ToolUse, now: number) => number;
  /** How many calls of a tool may run at the same time, and whether further calls wait; undefined without a limit. */
  readonly concurrency: (
    tool: string,
  ) => { readonly most: number; readonly waits: boolean } | undefined;
  /** Whether a call over the rate limit waits; otherwise the state fails. */
  readonly waits: (tool: string) => boolean;
  /** The result for the agent: an error when it is too large. */
  readonly resultOf: (call: ToolCall, result: Json) => ToolResult;
}

/** Agent 4 */
export function compileTools(definition: Tools): ToolsProgram {
  const tools = compileToolRules(definition);
  return { tools };
}

function compileToolRules(tools: Tools): ToolRules {
  const { allowed, denied } = tools;
  const mayUse = (tool: string) => mayUseTool({ allowed, denied }, tool);
  const host = tools.hosts && compileLists(tools.hosts, globOfHost);
  const path = tools.paths && compileLists(tools.paths, globOfPath);
  const extensions = tools.paths?.extensions?.map((one) => `.${one.replace(/^\./, '')}`);
  const schemas = new Map<string, Validate>(
    Object.entries(tools.schemas).map(([name, schema]) => [name, compileSchema(schema)]),
  );
  const limitOf = (tool: string) => own(tools.limits, tool) ?? own(tools.limits, '*');
  return {
    complete: ({ name, arguments: given }) => ({
      name,
      arguments: { ...own(tools.defaults, name), ...given },
    }),
    refusal({ name, arguments: given }) {
      if (!mayUse(name)) return `The tool "${name}" may not be used.`;
      const wrong = schemas.get(name)?.(given);
      if (wrong !== undefined) return `The arguments of "${name}" are wrong: ${wrong}`;
      for (const [key, text] of textsIn(given)) {
        const url = hostOf(key, text);
        const reaches = host === undefined || url === undefined || host(url);
        if (reaches === undefined) return unchecked('host', name);
        if (!reaches) return `The host "${url}" may not be reached.`;
        for (const file of path ? pathsOf(key, text) : []) {
          const uses = file !== undefined && path!(file);
          if (uses === undefined) return unchecked('file', name);
          if (!uses) return `The file "${text}" may not be used.`;
          if (extensions && !extensions.some((one) => file.endsWith(one))) {
            return `Files like "${text}" may not be used: only ${extensions.join(', ')}.`;
          }
        }
      }
      return undefined;
    },
    freeAt(tool, use, now) {
      const times = own(use, tool) ?? [];
      const limit = limitOf(tool);
      let free = now;
      for (const { most, milliseconds } of limit?.windows ?? []) {
        const oldest = times.at(-most);
        if (oldest !== undefined) free = Math.max(free, oldest + milliseconds);
      }
      if (limit?.burst === undefined) return free;
      const [window = aSecond(limit.burst)] = limit.windows;
      return Math.max(free, afterBurst(times, limit.burst, window, now));
    },
    concurrency(tool) {
      const { concurrent: most, waits = false } = limitOf(tool) ?? {};
      return most === undefined ? undefined : { most, waits };
    },
    waits: (tool) => limitOf(tool)?.waits ?? false,
    resultOf(call, result) {
      const most = own(tools.largest, call.name);
      return most !== undefined && bytesOf(result, most) > most
        ? { ...call, error: `The result has more than ${most} bytes.` }
        : { ...call, result };
    },
  };
}

/** Without a rate, a burst is counted within a second. */
function aSecond(most: number): RateWindow {
  return { most, milliseconds: 1_000 };
}

/** When a call is free again in a token bucket: it holds `burst` calls, and is refilled at the rate of the window. */
function afterBurst(
  times: readonly number[],
  burst: number,
  { most, milliseconds }: RateWindow,
  now: number,
): number {
  const interval = milliseconds / most;
  // The bucket is measured in time: it is full at `fullAt`, and each call takes an interval.
  const fullAt = times.reduce((full, time) => Math.max(full, time) + interval, 0);
  return Math.max(now, Math.ceil(fullAt - (burst - 1) * interval));
}

/** Adds a use of a tool, and drops uses that are too old for any limit. */
export function addUse(use: ToolUse | undefined, tool: string, now: number): ToolUse {
  const before = (use && own(use, tool)) ?? [];
  const aDayAgo = now - 24 * 3600 * 1000;
  const recent = before.filter((time) => time > aDayAgo).slice(-mostRemembered);
  return { ...use, [tool]: [...recent, now] };
}

/** No authored limit allows more uses a day. */
const mostRemembered = 9_999;

/** The tool calls that an agent asks for; undefined when it answers. */
export function toolCallsIn(result: Json): readonly ToolCall[] | undefined {
  const wanted = isRecord(result) ? result['toolCalls'] : undefined;
  if (!Array.isArray(wanted) || wanted.length === 0) return undefined;
  return wanted.slice(0, mostCalls).flatMap((call: unknown) => {
    if (!isRecord(call) || typeof call['name'] !== 'string') return [];
    const { name, arguments: given } = call;
    return [{ name, arguments: isRecord(given) ? (given as JsonObject) : {} }];
  });
}

const mostCalls = 100;

function own<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** @returns a function that returns undefined for a text whose search takes too many steps */
function compileLists(
  { allowed, denied }: Lists,
  globOf: (written: string) => string,
): (text: string) => boolean | undefined {
  const matcher = (patterns: readonly string[]) => {
    const compiled = patterns.map((pattern) => new LinearPattern(globOf(pattern)));
    return (text: string, budget: SearchBudget) => {
      const kinds = compiled.flatMap((one) => one.matches(text, budget).map(({ kind }) => kind));
      if (kinds.includes('pattern')) return true;
      return kinds.length > 0 ? undefined : false;
    };
  };
  const [isAllowed, isDenied] = [allowed && matcher(allowed), matcher(denied)];
  return (text) => {
    const budget = new SearchBudget();
    const denies = isDenied(text, budget);
    const allows = denies !== true && (isAllowed ? isAllowed(text, budget) : true);
    return allows === true && denies === undefined ? undefined : allows;
  };
}

function unchecked(what: string, tool: string): string {
  return `The ${what} in the arguments of "${tool}" could not be checked, because the search takes too many steps: send a shorter one.`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`);
}

/** `*.example.com` matches `example.com` and every host below it. */
function globOfHost(written: string): string {
  const text = escaped(written.toLowerCase());
  return `^${text.replace(/^\*\\\./, String.raw`(.*\.)?`).replaceAll('*', '[^.]*')}$`;
}

/** A glob such as `./data/**`, for paths without `./` and `..`. */
function globOfPath(written: string): string {
  const text = escaped(plainPath(written) ?? written);
  const all = text.replaceAll('**', '\u0000').replaceAll('*', '[^/]*').replaceAll('\u0000', '.*');
  return `^${all}$`;
}
