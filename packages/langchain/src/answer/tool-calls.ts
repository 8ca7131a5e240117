import { isRecord, type JsonObject, type ToolCall, type ToolSpec } from '@dramaturg/compiler';
import { closed, misfit } from '@dramaturg/host/tools';
import type { Completion } from '../model/completion.ts';
import type { WireTool } from '../model/model.ts';

/** The maximum number of calls in one answer; further calls are ignored. */
const callsMax = 16;

/** The tools of a call under names that every provider accepts. Translates calls back to the original names. */
export class OfferedTools {
  readonly wire: readonly WireTool[];
  readonly #specs = new Map<string, ToolSpec>();

  /**
   * @param reserved names that the tools must not use
   * @param constant the tools of all calls: the model gets these first, unchanged, and may call those on offer
   */
  constructor(
    tools: readonly ToolSpec[],
    {
      reserved = [],
      constant = [],
    }: {
      readonly reserved?: readonly string[];
      readonly constant?: readonly ToolSpec[] | undefined;
    } = {},
  ) {
    const used = new Set(reserved);
    const offered = new Map(tools.map((tool) => [tool.name, tool]));
    const isConstant = new Set(constant.map(({ name }) => name));
    const shown = [...constant, ...tools.filter(({ name }) => !isConstant.has(name))];
    this.wire = shown.map((tool) => {
      const name = freeName(tool.name, used);
      used.add(name);
      const spec = offered.get(tool.name);
      if (spec !== undefined) this.#specs.set(name, spec);
      return { name, description: tool.description, parameters: objectSchema(tool.parameters) };
    });
  }

  get isEmpty(): boolean {
    return this.wire.length === 0;
  }

  /** The calls of offered tools under their own names. Their arguments may not fit. */
  calls(calls: Completion['toolCalls']): ToolCall[] {
    return this.#read(calls).map(({ tool: { name }, values }) => ({ name, arguments: values }));
  }

  /** The calls of offered tools with arguments that fit. All other calls of a model are dropped here. */
  closedCalls(calls: Completion['toolCalls']): ToolCall[] {
    return this.#read(calls).flatMap(({ tool: { name, parameters }, values }) => {
      const input = closed(values, parameters) as JsonObject;
      return misfit(input, parameters) === undefined ? [{ name, arguments: input }] : [];
    });
  }

  #read(calls: Completion['toolCalls']) {
    return calls.slice(0, callsMax).flatMap(({ name, arguments: written }) => {
      const tool = this.#specs.get(name);
      const values = argumentsIn(written) as JsonObject | undefined;
      return tool && values ? [{ tool, values }] : [];
    });
  }
}

/** Reads arguments, which a model writes as an object or as a JSON string. An empty string means no arguments. */
export function argumentsIn(written: unknown): Record<string, unknown> | undefined {
  if (written === undefined || written === null || written === '') return {};
  const value = typeof written === 'string' ? parsed(written) : written;
  return isRecord(value) ? value : undefined;
}

function freeName(name: string, used: ReadonlySet<string>): string {
  const base = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60) || 'tool';
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? base : `${base}_${count}`;
    if (!used.has(candidate)) return candidate;
  }
}

/** Adds the type "object", which providers require and definitions may leave out. */
function objectSchema(schema: JsonObject): JsonObject {
  return 'type' in schema ? schema : { type: 'object', properties: {}, ...schema };
}

/** Lists the tools that may be called now, if the model gets the tools of all calls. */
export function toolsOnOffer({
  tools = [],
  constantTools,
}: {
  readonly tools?: readonly ToolSpec[] | undefined;
  readonly constantTools?: readonly ToolSpec[] | undefined;
}): string[] {
  if (constantTools === undefined || constantTools.length === 0) return [];
  if (tools.length === 0) return ['(Call no tool now.)'];
  const lines = tools.map(({ name, parameters }) => [name, ...valuesIn(parameters)].join(', '));
  return [`# Tools that you may call now\n${lines.map((line) => `- ${line}`).join('\n')}`];
}

/** `task_id: one | other`, for parameters that are one of a list. */
function valuesIn({ properties }: JsonObject): string[] {
  return Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, property]) => {
    const values = isRecord(property) ? property['enum'] : undefined;
    return Array.isArray(values) ? [`${name}: ${values.map(String).join(' | ')}`] : [];
  });
}

/** The maximum length of an answer, in UTF-16 units. */
const lengthMax = 200_000;

/** The first JSON object in a model's text, which may contain other words; undefined when there is none. */
export function jsonInText(text: string): unknown {
  if (text.length > lengthMax) return undefined;
  // Tries each opening brace with its closing brace: earlier braces may belong to prose.
  for (let start = text.indexOf('{'), tries = 0; start >= 0 && tries < 20; tries += 1) {
    const end = endOfObject(text, start);
    const found = end === undefined ? undefined : parsed(text.slice(start, end));
    if (found !== undefined) return found;
    start = text.indexOf('{', start + 1);
  }
  return undefined;
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let index = start; index < text.length; index += 1) {
    const sign = text[index];
    if (isInString) {
      if (sign === '\\') index += 1;
      else if (sign === '"') isInString = false;
    } else if (sign === '"') isInString = true;
    else if (sign === '{') depth += 1;
    else if (sign === '}') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}
