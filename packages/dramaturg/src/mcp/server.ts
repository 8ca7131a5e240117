import { type StateTest, testState } from '@dramaturg/asl';
import {
  type Chart,
  type Compiled,
  diagnosticsToJson,
  hasErrors,
  isRecord,
  type Json,
  type JsonObject,
} from '@dramaturg/compiler';
import { toMermaid } from '@dramaturg/compiler/chart';
import { memoryStore } from '@dramaturg/host';
import * as server from '@dramaturg/mcp/server';
import type { DefinitionText, McpEditor } from '@dramaturg/mcp/server';
import { RequestError } from '@dramaturg/service/client';
import { understudyPorts } from '@dramaturg/understudy';
import { compile } from '../compile.ts';
import { inputFor } from '../form-input.ts';
import { createHost, type Host } from '../host.ts';
import { formats, kindOf } from '../known-formats.ts';
import type { ServeHostOptions } from '../service.ts';

/** How long a definition runs at most, from one message to the next, in milliseconds. */
const runMaxMs = 15_000;
/** A run without a model calls ports at most this often. */
const callsMax = 500;

const name = 'definition';

/** Checks and runs definitions in memory, without a model: for the tools of an MCP server. */
const editor: McpEditor = {
  formats: formats.map((format) => format.name),
  async check(given) {
    const compiled = compileText(given);
    return {
      ok: !hasErrors(compiled.diagnostics),
      format: compiled.format ?? null,
      diagnostics: findingsOf(compiled, given),
    };
  },
  async compile(given) {
    const compiled = requireFine(given);
    return { format: compiled.format ?? null, chart: compiled.chart as unknown as Json };
  },
  async explain(given) {
    const compiled = requireFine(given);
    return {
      format: compiled.format ?? null,
      kind: compiled.kind ?? null,
      drawing: toMermaid(compiled.chart!),
      diagnostics: findingsOf(compiled, given),
    };
  },
  async testState({ state, input, mock, ...given }) {
    const compiled = requireFine(given);
    if (compiled.kind !== 'workflow')
      throw new RequestError(
        'request/refused',
        'Only the states of a workflow can be tested one by one.',
        { hint: 'Use the tool "run" for other definitions.' },
      );
    const { dialect, missing } = compiled.definition as Pick<StateTest, 'dialect' | 'missing'>;
    const result = testState({
      definition: compiled.filled as JsonObject,
      ...(dialect && { dialect }),
      ...(missing && { missing }),
      ...(state !== undefined && { stateName: state }),
      ...(input !== undefined && { input: input as Json }),
      ...(mock !== undefined && { mock: mock as NonNullable<StateTest['mock']> }),
    });
    return result as unknown as Json;
  },
  async run({ input, messages = [], ...given }, signal) {
    const compiled = requireFine(given);
    const host = await createHost({
      store: memoryStore(),
      definitions: { [name]: compiled },
      ports: understudyPorts(),
      limits: { calls: callsMax },
    });
    try {
      return kindOf(compiled.format) === 'conversation'
        ? await converse(host, conversationInput(compiled, input), messages, signal)
        : await perform(host, (input ?? {}) as Json);
    } finally {
      await host.stop();
    }
  },
};

async function perform(host: Host, input: Json): Promise<Json> {
  const { id } = await host.start(name, { input: { input } });
  await host.settle({ within: runMaxMs });
  const { state, ended, output, failure, decisions } = await host.get(id);
  return {
    state,
    ended,
    ...(output !== undefined && { output }),
    ...(failure !== undefined && { failure: failure as unknown as Json }),
    decisions: decisions.map(({ prompt, options }) => ({ prompt, options: [...options] })),
  };
}

async function converse(
  host: Host,
  input: JsonObject,
  messages: readonly string[],
  signal: AbortSignal,
): Promise<Json> {
  const { id } = await host.start(name, { contact: 'person', input });
  await host.settle({ within: runMaxMs });
  for (const text of messages) {
    signal.throwIfAborted();
    const { accepted } = await host.receive({ contact: 'person', text });
    if (!accepted) break;
    await host.settle({ within: runMaxMs });
  }
  const { state, ended, collected, failure } = await host.get(id);
  const lines = await host.transcript(id, { from: 0, limit: 1_000 });
  return {
    state,
    ended,
    transcript: lines.map(({ role, text }) => ({ role, text })),
    ...(collected !== undefined && { collected }),
    ...(failure !== undefined && { failure: failure as unknown as Json }),
  };
}

function conversationInput({ format }: Compiled, input: unknown): JsonObject {
  return isRecord(input) ? inputFor(format, input as JsonObject) : {};
}

function compileText({ text, fileName }: DefinitionText): Compiled {
  return compile(text, { ...(fileName !== undefined && { fileName }) });
}

/** @throws RequestError with the mistakes of the definition */
function requireFine(given: DefinitionText): Compiled {
  const compiled = compileText(given);
  if (!hasErrors(compiled.diagnostics)) return compiled;
  const errors = compiled.diagnostics.filter(({ severity }) => severity === 'error');
  const sentences = errors.map(
    ({ message, range: { start } }) => `${start.line}:${start.column} ${message}`,
  );
  throw new RequestError(
    'definition/errors',
    `The definition has errors. ${sentences.slice(0, 20).join(' ')}`,
    { hint: 'The tool "check" returns all of them with hints.' },
  );
}

function findingsOf({ diagnostics }: Compiled, { fileName = name }: DefinitionText): Json {
  return diagnosticsToJson(diagnostics, fileName) as unknown as Json;
}

/** The functions of a server for definitions of all formats. */
const aboutDefinitions = {
  editor,
  kindOf,
  draw: (chart: unknown) => toMermaid(chart as Chart),
};

/**
 * Adds the route `/mcp` to a service: streamable HTTP. A client has the tools that the scopes of its token allow. See docs/mcp.md#serve-definitions-to-assistants
 *
 * @example
 * ```ts
 * const host = await createHost({
 *   store: memoryStore(),
 *   definitions: { intake },
 *   ports: understudyPorts(),
 * });
 * const service = await serveHost(host, { http: '127.0.0.1:0', mount: mcpRoute() });
 * const request = {
 *   jsonrpc: '2.0',
 *   id: 1,
 *   method: 'initialize',
 *   params: {
 *     protocolVersion: '2025-06-18',
 *     capabilities: {},
 *     clientInfo: { name: 'assistant', version: '1' },
 *   },
 * };
 * const answer = await fetch(`${service.url}/mcp`, {
 *   method: 'POST',
 *   headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
 *   body: JSON.stringify(request),
 * });
 * console.log(answer.status); // → 200
 * service.close();
 * await host.stop();
 * await service.end();
 * ```
 */
export function mcpRoute(
  limits: server.SessionLimits = {},
): NonNullable<ServeHostOptions['mount']> {
  return server.mcpRoute({ ...aboutDefinitions, limits });
}

/**
 * Serves a host to a client on the standard streams of this process, until the client closes them or the signal aborts. The
 * client may do everything that this process may do.
 */
export function serveMcp(
  host: server.McpHost,
  signal: AbortSignal,
  events?: server.McpEvents,
): Promise<void> {
  return server.serveStdio({ ...aboutDefinitions, host, events }, signal);
}
