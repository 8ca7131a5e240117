import * as z from 'zod/mini';
import type { Chart, ChartNode, ChartTransition, NodeMeta, Reference } from '../chart/chart.ts';
import { ChartError } from '../chart/graph.ts';
import { inEnglish } from '../words.ts';
import { isRecord, type Json, type JsonObject } from '../json.ts';
import { atOnce, nodesPerSlice, type Sliced } from '../sliced.ts';

const columns = 100;

/**
 * Prints JSON for people: two spaces a level, keys in the given order, and everything that fits on one line on one line, so that
 * a diff shows only real changes. Equal values give equal output.
 */
function jsonText(value: Json): string {
  return `${printed(value, '', 0)}\n`;
}

/** A value that starts in column `used` of a line indented by `indent`. */
function printed(value: Json, indent: string, used: number): string {
  const short = onOneLine(value, columns - used - ','.length);
  if (short !== undefined) return short;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const lines = entriesOf(value).map(
    ([lead, item]) => inner + lead + printed(item, inner, inner.length + lead.length),
  );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** Prints a value on one line; undefined when it does not fit. Stops early, so long values cost nothing. */
function onOneLine(value: Json, room: number): string | undefined {
  if (typeof value === 'string' && value.length > room) return undefined;
  if (typeof value !== 'object' || value === null) return fitting(room, JSON.stringify(value));
  const entries = entriesOf(value);
  if (entries.length === 0) return Array.isArray(value) ? '[]' : '{}';
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }'];
  let text = open;
  for (const [index, [lead, item]] of entries.entries()) {
    text += index === 0 ? lead : `, ${lead}`;
    const rest = onOneLine(item, room - text.length);
    if (rest === undefined) return undefined;
    text += rest;
  }
  return fitting(room, text + close);
}

function fitting(room: number, text: string): string | undefined {
  return text.length <= room ? text : undefined;
}

/** The entries of a list or an object, each with the text that precedes it. */
function entriesOf(value: object): [lead: string, item: Json][] {
  if (Array.isArray(value)) return value.map((item: Json) => ['', item]);
  return Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => [`${JSON.stringify(key)}: `, item as Json]);
}

/** Far deeper than real charts. Protects the stack from hostile input. */
const deepest = 200;

/** How many values are looked at between two turns of the event loop. */
const valuesPerSlice = 20_000;

/**
 * The chart as it is stored and reviewed: `machine.json`.
 *
 * @example
 * ```ts
 * const { chart } = compile(text, { formats: [plan] });
 * console.log(toJson(chart!).slice(4, 14)); // → "chart": 1
 * ```
 */
export function toJson(chart: Chart): string {
  return jsonText(chart as unknown as Json);
}

/**
 * Reads a stored chart. Checks only the layout: `link` finds names without code, and `checkChart` targets without a node.
 *
 * @throws ChartError when the text is not a chart, or has a version that this release does not know
 * @example
 * ```ts
 * const { chart } = compile(text, { formats: [plan] });
 * console.log(fromJson(toJson(chart!)).format); // → plan
 * ```
 */
export function fromJson(text: string): Chart {
  return atOnce(checkedChart(parsed(text)));
}

/**
 * Checks the layout of a parsed chart.
 *
 * @throws ChartError as `fromJson`
 */
export function* checkedChart(value: unknown): Sliced<Chart> {
  if (isRecord(value) && value['chart'] !== undefined && value['chart'] !== 1) {
    throw new ChartError(
      'chart/unknown-version',
      `This chart has the version ${JSON.stringify(value['chart'])}, and this release reads version 1. Compile the definition again.`,
    );
  }
  yield* refuseTraps(value);
  const pending: Part[] = [{ value, layout: chartLayout, path: [] }];
  for (let count = 1; pending.length > 0; count += 1) {
    const part = pending.pop()!;
    const { error } = part.layout.safeParse(part.value, inEnglish);
    if (error) throw badLayout(z.prettifyError(withPath(error, part.path)), error);
    // The layouts leave out inner nodes, which are checked one by one.
    pending.push(...partsOf(part));
    if (count % nodesPerSlice === 0) yield;
  }
  // Not zod's copy, because its keys have another order.
  return value as Chart;
}

/** A node or a chart within a value that is not checked yet. */
interface Part {
  readonly value: unknown;
  readonly layout: z.ZodMiniType;
  readonly path: readonly PropertyKey[];
}

function partsOf({ value, path }: Part): Part[] {
  const { states = {}, invoke = [] } = value as ChartNode;
  return [
    ...Object.entries(states).map(([key, child]) => ({
      value: child,
      layout: node,
      path: [...path, 'states', key],
    })),
    ...invoke.flatMap(({ chart }, index) =>
      chart
        ? [{ value: chart, layout: chartLayout, path: [...path, 'invoke', index, 'chart'] }]
        : [],
    ),
  ].toReversed();
}

function withPath({ issues }: z.core.$ZodError, path: readonly PropertyKey[]): z.core.$ZodError {
  const placed = issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
  return new z.core.$ZodError(placed);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw badLayout(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function badLayout(reason: string, cause?: unknown): ChartError {
  return new ChartError(
    'chart/bad-layout',
    `This is not a chart as the compiler writes it: ${reason}`,
    { cause },
  );
}

/** Refuses values that would harm the checks themselves: too deep nesting, and keys that set a prototype. */
function* refuseTraps(value: unknown): Sliced<void> {
  const pending = [{ value, depth: 0 }];
  let count = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if ((count += 1) % valuesPerSlice === 0) yield;
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.depth > deepest) throw badLayout(`it nests more than ${deepest} levels deep.`);
    if (Object.hasOwn(next.value, '__proto__')) throw badLayout('it has a key "__proto__".');
    for (const item of Object.values(next.value))
      pending.push({ value: item, depth: next.depth + 1 });
  }
}

// The values are parsed JSON already.
const jsonObject = z.record(z.string(), z.unknown()) as z.ZodMiniType<JsonObject>;

const reference: z.ZodMiniType<Reference> = z.strictObject({
  type: z.string(),
  params: z.exactOptional(jsonObject),
});

const meta = z.looseObject({
  origin: z.exactOptional(z.array(z.union([z.string(), z.int().check(z.nonnegative())]))),
}) as z.ZodMiniType<NodeMeta>;

const transition: z.ZodMiniType<ChartTransition> = z.strictObject({
  target: z.exactOptional(z.union([z.string(), z.array(z.string())])),
  guard: z.exactOptional(reference),
  actions: z.exactOptional(z.array(reference)),
  reenter: z.exactOptional(z.boolean()),
  description: z.exactOptional(z.string()),
  meta: z.exactOptional(meta),
});

const invoke = z
  .strictObject({
    id: z.string(),
    src: z.string(),
    chart: z.optional(z.unknown()),
    input: reference,
    onDone: z.array(transition),
    onError: z.array(transition),
  })
  .check(
    z.refine(({ src, chart }) => (src === 'each') === (chart !== undefined), {
      error: 'The call "each" has a chart, and no other call has one.',
    }),
  );

const nodeFields = {
  id: z.exactOptional(z.string()),
  type: z.exactOptional(z.enum(['parallel', 'final', 'history'])),
  history: z.exactOptional(z.enum(['shallow', 'deep'])),
  description: z.exactOptional(z.string()),
  initial: z.exactOptional(z.string()),
  entry: z.exactOptional(z.array(reference)),
  exit: z.exactOptional(z.array(reference)),
  invoke: z.exactOptional(z.array(invoke)),
  always: z.exactOptional(z.array(transition)),
  on: z.exactOptional(z.record(z.string(), z.array(transition))),
  onDone: z.exactOptional(z.array(transition)),
  tags: z.exactOptional(z.array(z.string())),
  states: z.exactOptional(z.record(z.string(), z.unknown())),
  meta: z.exactOptional(meta),
};

const node = z.strictObject(nodeFields);

const chartLayout = z.strictObject({
  chart: z.literal(1),
  format: z.string(),
  ...nodeFields,
  id: z.string(),
  context: reference,
  output: reference,
});
