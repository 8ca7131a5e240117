import {
  isRecord,
  type Json,
  type JsonObject,
  type Port,
  PortError,
  type PortName,
} from '@dramaturg/compiler';
import { isTemporary } from '@dramaturg/compiler/machine';
import { didYouMean } from '@dramaturg/compiler/text';
import { misfit } from './fit.ts';

const defaultTime = 30_000;
const defaultSize = 100_000;

interface ToolOptions {
  /** The tools by the names that definitions use. */
  readonly tools: ReadonlyMap<string, PlainTool> | Readonly<Record<string, PlainTool>>;
  readonly toolLimits?: ToolLimits | undefined;
}

/**
 * Runs the allowed tools. Checks their arguments, and limits their time and the size of their results. Any failure is a PortError
 * `port/failed`, or `port/temporary` when the call may be retried; a result that is not JSON is `port/bad-output`.
 *
 * @example
 * ```ts
 * const callTool = callToolPort({
 *   tools: { stock: { run: ({ item }) => (item === 'lamp' ? 7 : 0) } },
 * });
 * const ports = { callTool, runAgent: clerk };
 * console.log(
 *   (await toPromise(createActor(providePorts(stocktaking.machine!, ports)).start())).output,
 * ); // → { stock: 7 }
 * ```
 */
export function callToolPort({ tools, toolLimits: limits = {} }: ToolOptions): Port<'callTool'> {
  const known = tools instanceof Map ? tools : new Map(Object.entries(tools));
  const { time = defaultTime, resultSize = defaultSize } = limits;

  const mayBeCalled = (name: string) =>
    (limits.allow?.includes(name) ?? true) && !(limits.deny?.includes(name) ?? false);

  return async ({ tool: name, arguments: input, key }, { signal }) => {
    const tool = known.get(name);
    if (tool === undefined) throw unknown(name, [...known.keys()]);
    if (!mayBeCalled(name))
      throw failed(`The tool "${name}" is not allowed. To allow it, change toolLimits.`);
    const checked = checkedArguments(name, tool, input);
    const timeUp = AbortSignal.timeout(time);
    const use = { tool: name, key, signal: AbortSignal.any([signal, timeUp]) };
    const result = await Promise.race([
      (async () => tool.run(checked, use))(),
      whenAborted(use.signal),
    ]).catch((cause: unknown) => {
      if (timeUp.aborted && !signal.aborted)
        throw failed(
          `The tool "${name}" did not answer within ${time} milliseconds. Make it faster, or raise toolLimits.time.`,
          cause,
          tool.idempotent === true,
        );
      throw failed(`The tool "${name}" failed: ${messageOf(cause)}`, cause, isTemporary(cause));
    });
    const { value, size } = asJson(result, `The result of the tool "${name}"`, 'callTool');
    if (size <= resultSize) return { result: value };
    throw failed(
      `The result of the tool "${name}" has ${size} characters; the limit is ${resultSize}. Return less, or raise toolLimits.resultSize.`,
    );
  };
}

function checkedArguments(name: string, tool: PlainTool, input: JsonObject): JsonObject {
  const { parameters } = tool;
  if (parameters === undefined) return input;
  const known = closed(input, parameters) as JsonObject;
  const problem = misfit(known, parameters);
  if (problem === undefined) return known;
  throw failed(`The arguments of the tool "${name}" do not fit its schema. ${problem}`);
}

/** Rejects when the signal aborts. A tool that ignores its signal continues, but its result is not used. */
async function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(signal.reason as Error);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
  });
}

function unknown(name: string, names: readonly string[]): PortError {
  const hint =
    didYouMean(name, names) ??
    (names.length > 0 ? `Known tools: ${names.join(', ')}.` : 'Pass it in tools.');
  return failed(`There is no tool "${name}". ${hint}`);
}

function failed(message: string, cause?: unknown, mayPass = false): PortError {
  return new PortError(mayPass ? 'port/temporary' : 'port/failed', 'callTool', message, { cause });
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** Converts the result of a user's function to JSON, and measures its length. `undefined` becomes null. */
export function asJson(
  value: unknown,
  what: string,
  port: PortName,
): { readonly value: Json; readonly size: number } {
  try {
    const text = JSON.stringify(value) ?? 'null';
    return { value: JSON.parse(text) as Json, size: text.length };
  } catch (cause) {
    const because = cause instanceof Error ? cause.message : String(cause);
    throw new PortError('port/bad-output', port, `${what} is not JSON: ${because}`, { cause });
  }
}

/** A function that the port `callTool` runs. */
export interface PlainTool {
  /** The purpose of the tool, for a model. */
  readonly description?: string;
  /** A JSON Schema of the arguments. Without one, only the schema of the definition is checked. */
  readonly parameters?: JsonObject;
  /** Whether a timed-out call may be repeated. Its idempotency key stays the same. */
  readonly idempotent?: boolean;
  /** An error that it throws is its answer, except one with `temporary: true`: then a host retries the call. */
  readonly run: (input: JsonObject, use: ToolUse) => unknown;
}

export interface ToolUse {
  /** The name by which the definition called the tool. */
  readonly tool: string;
  /** The idempotency key: it stays the same when the call is repeated after a crash. */
  readonly key: string;
  /** Aborted when the call is cancelled or times out. */
  readonly signal: AbortSignal;
}

export interface ToolLimits {
  /** Milliseconds. Default 30 000. */
  readonly time?: number;
  /** The maximum length of a result as JSON, in UTF-16 units. Default 100 000. */
  readonly resultSize?: number;
  /** If given, only these tools may be called. */
  readonly allow?: readonly string[];
  /** These tools may not be called, even if `allow` contains them. */
  readonly deny?: readonly string[];
}

/** The maximum depth of data, because schemas may refer to themselves. */
const depthMax = 50;

/**
 * The value without properties that its schema does not name. An object is open if its schema names no properties, and
 * otherwise closed unless the schema allows more: a model must not add properties that the chart did not ask for.
 */
export function closed(value: unknown, schema: JsonObject): Json {
  return closedBy(value, [schema], { root: schema, depth: 0 });
}

interface SchemaContext {
  readonly root: JsonObject;
  readonly depth: number;
}

function closedBy(value: unknown, schemas: readonly Json[], { root, depth }: SchemaContext): Json {
  const inner = { root, depth: depth + 1 };
  if (depth > depthMax) return null;
  const all = schemas.flatMap((schema) => partsOf(schema, root, 0));
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => closedBy(item, itemSchemas(all, index), inner));
  }
  if (isRecord(value)) {
    const isClosed =
      all.some((schema) => isRecord(schema['properties'])) &&
      !all.some((schema) => isRecord(schema['patternProperties']));
    const entries = Object.entries(value).flatMap(([key, property]): [string, Json][] => {
      if (key === '__proto__' || property === undefined) return [];
      const named = all.flatMap((schema) => schemasOf(schema, key));
      const more = all.flatMap(({ additionalProperties: other }) =>
        other === undefined || other === false ? [] : [other],
      );
      if (named.length > 0) return [[key, closedBy(property, named, inner)]];
      if (isClosed && more.length === 0) return [];
      return [[key, closedBy(property, more.filter(isRecord), inner)]];
    });
    return Object.fromEntries(entries);
  }
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
    ? (value as Json)
    : null;
}

/** A schema and the schemas it is composed of, including references to its own definitions. */
function partsOf(schema: Json, root: JsonObject, depth: number): JsonObject[] {
  if (!isRecord(schema) || depth > depthMax) return [];
  const parts = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((key) => {
    const list = schema[key];
    return Array.isArray(list) ? list : [];
  });
  const conditional = [schema['then'], schema['else']].filter((part) => part !== undefined);
  const { $ref: reference } = schema;
  const target = typeof reference === 'string' ? resolved(reference, root) : undefined;
  return [
    schema,
    ...[...parts, ...conditional, ...(target === undefined ? [] : [target])].flatMap((part) =>
      partsOf(part as Json, root, depth + 1),
    ),
  ];
}

function resolved(reference: string, root: JsonObject): Json | undefined {
  if (!reference.startsWith('#/')) return undefined;
  const keys = reference.slice(2).split('/');
  return keys.reduce<Json | undefined>((value, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }, root);
}

function schemasOf({ properties }: JsonObject, key: string): Json[] {
  return isRecord(properties) && Object.hasOwn(properties, key) ? [properties[key] as Json] : [];
}

function itemSchemas(schemas: readonly JsonObject[], index: number): Json[] {
  return schemas.flatMap(({ items, prefixItems }) => {
    const own = Array.isArray(prefixItems) ? prefixItems[index] : undefined;
    if (own !== undefined) return [own];
    if (Array.isArray(items)) return items[index] === undefined ? [] : [items[index]];
    return items === undefined ? [] : [items];
  });
}
