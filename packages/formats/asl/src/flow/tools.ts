import { isRecord, type Json, type JsonObject, type ToolCall } from '@dramaturg/compiler';
import { compileSchema, type Judge } from '../data/json-schema.ts';
import { LinearPattern } from '../data/linear-pattern.ts';
import type { Lists, Tools } from '../definition/tools.ts';
import { bytesOf } from '../data/size.ts';

/** What came of a tool that an agent wanted to use. */
export type ToolResult = ToolCall & ({ readonly result: Json } | { readonly error: string });

/** When tools were used, by their names: milliseconds since 1970 UTC, the latest last. */
export type ToolUse = Readonly<Record<string, readonly number[]>>;

export interface ToolRules {
  /** The call with the arguments that are always added. */
  readonly complete: (call: ToolCall) => ToolCall;
  /** Why a tool may not be used like this; undefined when it may. */
  readonly refusal: (call: ToolCall) => string | undefined;
  /** When the tool may be used again: now or earlier when it may be at once. */
  readonly freeAt: (tool: string, use: ToolUse, now: number) => number;
  readonly waits: (tool: string) => boolean;
  /** What the agent is handed of a result. */
  readonly taken: (call: ToolCall, result: Json) => ToolResult;
}

/** Agent 4 */
export function compileTools(tools: Tools): ToolRules {
  const mayUse = compileLists(tools, (name) => name);
  const host = tools.hosts && compileLists(tools.hosts, globOfHost);
  const path = tools.paths && compileLists(tools.paths, globOfPath);
  const schemas = new Map<string, Judge>(
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
        if (host && url !== undefined && !host(url)) return `The host "${url}" may not be reached.`;
        const file = path ? pathOf(key, text) : undefined;
        if (file === undefined) continue;
        if (!path!(file)) return `The file "${text}" may not be used.`;
        const extensions = tools.paths!.extensions;
        if (extensions && !extensions.some((one) => file.endsWith(`.${one.replace(/^\./, '')}`))) {
          return `Files like "${text}" may not be used: only ${extensions.join(', ')}.`;
        }
      }
      return undefined;
    },
    freeAt(tool, use, now) {
      const times = own(use, tool) ?? [];
      let free = now;
      for (const { most, milliseconds } of limitOf(tool)?.windows ?? []) {
        const oldest = times.at(-most);
        if (oldest !== undefined) free = Math.max(free, oldest + milliseconds);
      }
      return free;
    },
    waits: (tool) => limitOf(tool)?.waits ?? false,
    taken(call, result) {
      const most = own(tools.largest, call.name);
      return most !== undefined && bytesOf(result, most) > most
        ? { ...call, error: `The result has more than ${most} bytes.` }
        : { ...call, result };
    },
  };
}

/** Notes that a tool is used now; what no limit looks at any more is forgotten. */
export function used(use: ToolUse | undefined, tool: string, now: number): ToolUse {
  const before = (use && own(use, tool)) ?? [];
  const aDayAgo = now - 24 * 3600 * 1000;
  const kept = before.filter((time) => time > aDayAgo).slice(-mostRemembered);
  return { ...use, [tool]: [...kept, now] };
}

/** More than this a day is no limit that is written by hand. */
const mostRemembered = 9_999;

/** The tools that an answer asks for; undefined when it is an answer. */
export function wantedTools(result: Json): readonly ToolCall[] | undefined {
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

function compileLists(
  { allowed, denied }: Lists,
  globOf: (written: string) => string,
): (text: string) => boolean {
  const matcher = (patterns: readonly string[]) => {
    const compiled = patterns.map((pattern) => new LinearPattern(globOf(pattern)));
    return (text: string) => compiled.some((pattern) => pattern.matches(text).length > 0);
  };
  if (globOf('a') === 'a') {
    return (name) => (allowed?.includes(name) ?? true) && !denied.includes(name);
  }
  const isAllowed = allowed && matcher(allowed);
  const isDenied = matcher(denied);
  return (text) => (isAllowed?.(text) ?? true) && !isDenied(text);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`);
}

/** `*.example.com` is any host below it, and itself. */
function globOfHost(written: string): string {
  const text = escaped(written.toLowerCase());
  return `^${text.replace(/^\*\\\./, String.raw`(.*\.)?`).replaceAll('*', '[^.]*')}$`;
}

/** `./data/**`, as paths are here: no `./` and no `..`. */
function globOfPath(written: string): string {
  const text = escaped(plainPath(written) ?? written);
  const all = text.replaceAll('**', '\u0000').replaceAll('*', '[^/]*').replaceAll('\u0000', '.*');
  return `^${all}$`;
}

const pathKeys =
  /^(?:path|file|filename|filepath|file_path|file_name|directory|dir|folder|source|destination|target)s?$/i;

function pathOf(key: string, text: string): string | undefined {
  if (!pathKeys.test(key) || /^[a-z][a-z\d+.-]+:\/\//i.test(text)) return undefined;
  // What climbs out of every folder is in none that is allowed.
  return plainPath(text.replaceAll('\\', '/')) ?? `../${text}`;
}

/** A path without `.` and `..`; undefined when it leads out of where it begins. */
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

const hostKeys = /^(?:host|hostname|domain)s?$/i;

/** The host that a text leads to, as lenient as those who follow addresses. */
function hostOf(key: string, text: string): string | undefined {
  const plain = text
    .trim()
    .replaceAll(/[\t\n\r]/g, '')
    .replaceAll('\\', '/');
  const authority = /^(?:(?:https?|wss?|ftp):\/*|(?:[a-z][a-z\d+.-]*:)?\/\/)([^/?#]*)/i.exec(
    plain,
  )?.[1];
  if (authority !== undefined) {
    const host = authority.slice(authority.lastIndexOf('@') + 1);
    return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  }
  return hostKeys.test(key) ? plain.toLowerCase() : undefined;
}

/** Every text in some arguments, with the name of the field it is in. */
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
