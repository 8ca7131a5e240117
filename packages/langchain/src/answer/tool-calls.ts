import { isRecord, type JsonObject, type ToolCall, type ToolSpec } from '@dramaturg/compiler';
import type { WireTool } from '../model/model.ts';
import type { Completion } from '../model/completion.ts';
import { closed } from './closed.ts';
import { misfit } from './fit.ts';
import { parsed } from './json-in-text.ts';

/** In one answer a model may call so many tools; the rest is not looked at. */
const mostCalls = 16;

/** The tools of a call under names that every provider accepts, and the way back. */
export class OfferedTools {
  readonly wire: readonly WireTool[];
  readonly #specs = new Map<string, ToolSpec>();

  /** @param taken names that are not free */
  constructor(tools: readonly ToolSpec[], taken: readonly string[] = []) {
    const used = new Set(taken);
    this.wire = tools.map((tool) => {
      const name = freeName(tool.name, used);
      used.add(name);
      this.#specs.set(name, tool);
      return { name, description: tool.description, parameters: objectSchema(tool.parameters) };
    });
  }

  get isEmpty(): boolean {
    return this.wire.length === 0;
  }

  /** The calls of tools that are on offer and whose arguments fit. Nothing else that a model calls leaves this package. */
  closedCalls(calls: Completion['toolCalls']): ToolCall[] {
    return calls.slice(0, mostCalls).flatMap(({ name, arguments: given }) => {
      const tool = this.#specs.get(name);
      const values = argumentsIn(given);
      if (tool === undefined || values === undefined) return [];
      const taken = closed(values, tool.parameters) as JsonObject;
      return misfit(taken, tool.parameters) === undefined
        ? [{ name: tool.name, arguments: taken }]
        : [];
    });
  }
}

/** A model writes arguments as an object, or as JSON in a text; no arguments may be an empty text. */
export function argumentsIn(given: unknown): Record<string, unknown> | undefined {
  if (given === undefined || given === null || given === '') return {};
  const value = typeof given === 'string' ? parsed(given) : given;
  return isRecord(value) ? value : undefined;
}

function freeName(name: string, used: ReadonlySet<string>): string {
  const base = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60) || 'tool';
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? base : `${base}_${count}`;
    if (!used.has(candidate)) return candidate;
  }
}

/** Providers want an object's schema, where a definition may leave it out. */
function objectSchema(schema: JsonObject): JsonObject {
  return 'type' in schema ? schema : { type: 'object', properties: {}, ...schema };
}
