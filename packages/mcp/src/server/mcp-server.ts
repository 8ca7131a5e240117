import { once } from 'node:events';
import { isRecord } from '@dramaturg/compiler';
import { withoutSecrets } from '@dramaturg/compiler/secrets';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError as ProtocolError,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import {
  anyJson,
  definitionTools,
  instanceTools,
  longText,
  servedTool,
  type ServedTool,
  type ToolUse,
  word,
} from './definition-tools.ts';
import type { McpAudit, McpEditor, McpServerOptions } from './mcp-host.ts';
import {
  isResource,
  listResources,
  missingArgument,
  promptOf,
  readResource,
  resourceTemplates,
  servedPrompts,
  transcriptOf,
} from './prompts.ts';

/** Maximum number of resources that a client may subscribe to at the same time. */
const subscriptionsMax = 1_000;
/** Changes within this time, in milliseconds, are one notification. */
const quietMs = 100;
/** Milliseconds between polls for the names of definitions, for which there are no events. */
const lookIntervalMs = 2_000;

/** Notifies the client of a server about new lines of transcripts, new instances and changed definitions. */
class Updates {
  readonly #server: Server;
  readonly #subscribed = new Set<string>();
  readonly #changed = new Set<string>();
  readonly #end = new AbortController();
  #hasNewInstances = false;
  #flush: ReturnType<typeof setTimeout> | undefined;

  constructor(server: Server) {
    this.#server = server;
  }

  /** @returns false when the client has too many subscriptions */
  subscribe(uri: string): boolean {
    if (this.#subscribed.size >= subscriptionsMax && !this.#subscribed.has(uri)) return false;
    this.#subscribed.add(uri);
    return true;
  }

  unsubscribe(uri: string): void {
    this.#subscribed.delete(uri);
  }

  /** @param events absent when the client may not read instances */
  begin({ host, events }: Pick<McpServerOptions, 'host' | 'events'>): void {
    if (events) void this.#follow(events).catch(() => {});
    let known: string | undefined;
    const look = async () => {
      const names = JSON.stringify(await host.definitions());
      if (known !== undefined && names !== known) await this.#server.sendToolListChanged();
      known = names;
    };
    const looking = setInterval(() => void look().catch(() => {}), lookIntervalMs).unref();
    void look().catch(() => {});
    this.#end.signal.addEventListener('abort', () => clearInterval(looking), { once: true });
  }

  end(): void {
    clearTimeout(this.#flush);
    this.#end.abort();
  }

  async #follow(events: NonNullable<McpServerOptions['events']>): Promise<void> {
    const types = ['message.*', 'state.entered'];
    for await (const { instance, source, event } of events({ types, signal: this.#end.signal })) {
      const uri = transcriptOf(instance);
      if (event.type.startsWith('message.')) {
        if (this.#subscribed.has(uri)) this.#changed.add(uri);
      } else if (source === 'lifecycle' && !('from' in event)) this.#hasNewInstances = true;
      if (this.#changed.size > 0 || this.#hasNewInstances)
        this.#flush ??= setTimeout(() => void this.#notify().catch(() => {}), quietMs).unref();
    }
  }

  async #notify(): Promise<void> {
    this.#flush = undefined;
    const changed = [...this.#changed];
    const hasNewInstances = this.#hasNewInstances;
    this.#changed.clear();
    this.#hasNewInstances = false;
    if (hasNewInstances) await this.#server.sendResourceListChanged();
    for (const uri of changed) await this.#server.sendResourceUpdated({ uri });
  }
}

/** The largest result of a tool, in UTF-16 units. */
const resultSizeMax = 1_000_000;

/**
 * An MCP server of a host, not connected yet. Its tools are the definitions, and tools for instances, decisions and an editor.
 * Its resources are transcripts and charts. See docs/mcp.md#serve-definitions-to-assistants
 */
export function mcpServer(options: McpServerOptions): Server {
  const { scopes, events } = options;
  const may = (scope: string) =>
    scopes === undefined || scopes.includes(scope) || scopes.includes('admin');
  const server = new Server(
    { name: 'dramaturg', version: '0.1.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        ...(may('read') && { resources: events ? { subscribe: true, listChanged: true } : {} }),
        ...((may('read') || may('define')) && { prompts: {}, completions: {} }),
      },
    },
  );
  const updates = new Updates(server);
  // The SDK's servers have no events.
  server.oninitialized = () =>
    updates.begin({ ...options, events: may('read') ? events : undefined });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  server.onclose = () => updates.end();

  const tools = async (): Promise<readonly ServedTool[]> =>
    [
      ...(may('converse') ? await definitionTools(options, may('read')) : []),
      ...instanceTools(options, may('read')),
      ...(options.editor ? editorTools(options.editor) : []),
    ].filter(({ scope }) => may(scope));

  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: (await tools()).map(({ name, description, input, isReadOnly }) => ({
      name,
      description,
      inputSchema: { type: 'object' as const, ...z.toJSONSchema(input, { io: 'input' }) },
      annotations: { readOnlyHint: isReadOnly },
    })),
  }));

  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = (await tools()).find(({ name }) => name === params.name);
    if (!tool)
      throw new ProtocolError(
        ErrorCode.InvalidParams,
        `There is no tool "${params.name}", or this client may not call it.`,
      );
    const isAudited = tool.scope === 'operate' || tool.scope === 'define';
    const audit = (extra.authInfo?.extra?.['audit'] as McpAudit | undefined) ?? options.audit;
    const report = (outcome: 'started' | 'done' | 'refused') =>
      isAudited ? audit?.(`mcp/${tool.name}`, outcome) : undefined;
    try {
      await report('started');
      const result = await tool.run(params.arguments ?? {}, {
        signal: extra.signal,
        ask: asking(server, extra),
        report: reporting(extra),
      });
      // The action has happened: its answer is sent even if this entry is lost, as in a service.
      await report(isRefusal(result) ? 'refused' : 'done')?.catch(() => {});
      return answerOf(result);
    } catch (error) {
      await report('refused')?.catch(() => {});
      return { content: [{ type: 'text', text: sentenceOf(error) }], isError: true };
    }
  });

  addPrompts(server, options, may);
  if (!may('read')) return server;
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({
    resources: await listResources(options),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const found = await readResource(uri, options).catch((error: unknown) => {
      throw new ProtocolError(ErrorCode.InvalidParams, sentenceOf(error));
    });
    // The specification's code for a resource that does not exist.
    if (!found) throw new ProtocolError(-32_002, `There is no resource "${uri}".`);
    return { contents: [{ uri, ...found }] };
  });
  if (!events) return server;
  server.setRequestHandler(SubscribeRequestSchema, async ({ params: { uri } }) => {
    if (!isResource(uri)) throw new ProtocolError(-32_002, `There is no resource "${uri}".`);
    if (updates.subscribe(uri)) return {};
    throw new ProtocolError(ErrorCode.InvalidRequest, 'This client has too many subscriptions.');
  });
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
    updates.unsubscribe(uri);
    return {};
  });
  return server;
}

/** Whether an instance has refused the input of a tool. */
function isRefusal(result: unknown): boolean {
  return isRecord(result) && result['accepted'] === false;
}

function answerOf(result: unknown) {
  const text = JSON.stringify(result, undefined, 2) ?? 'null';
  if (text.length > resultSizeMax)
    return {
      content: [
        {
          type: 'text' as const,
          text: `The result has ${text.length} characters; the limit is ${resultSizeMax}. Ask for less.`,
        },
      ],
      isError: true,
    };
  return { content: [{ type: 'text' as const, text }] };
}

/** The context that the SDK gives to a handler of requests. */
type Extra = Parameters<Parameters<Server['setRequestHandler']>[1]>[1];

/** How long a person has to answer, in milliseconds. */
const answerMaxMs = 600_000;

/** Asks the person by an elicitation, when the client supports it. */
function asking(server: Server, { requestId, signal }: Extra): ToolUse['ask'] {
  return async (message, choices) => {
    if (!server.getClientCapabilities()?.elicitation) return undefined;
    const choice = { type: 'string' as const, title: 'Choice', enum: [...choices] };
    const { action, content } = await server.elicitInput(
      {
        message,
        requestedSchema: { type: 'object', properties: { choice }, required: ['choice'] },
      },
      { relatedRequestId: requestId, signal, timeout: answerMaxMs },
    );
    const chosen = content?.['choice'];
    return action === 'accept' && typeof chosen === 'string' ? chosen : undefined;
  };
}

/** Sends notifications about the progress of a request. Undefined when its client does not ask for them. */
function reporting({ _meta: meta, sendNotification }: Extra): ToolUse['report'] {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (state) => {
    const params = { progressToken, progress: (progress += 1), message: state };
    sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** The most values that the protocol allows. */
const completionsMax = 100;

/** Adds the prompts that the scopes of the client allow, and completions of their arguments. */
function addPrompts(
  server: Server,
  options: McpServerOptions,
  may: (scope: string) => boolean,
): void {
  const { host, editor } = options;
  const prompts = servedPrompts(options).filter(({ scope }) => may(scope));
  if (!may('read') && !may('define')) return;
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: prompts.map(({ name, description, arguments: known }) => ({
      name,
      description,
      arguments: known,
    })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }) => {
    const prompt = prompts.find(({ name }) => name === params.name);
    if (!prompt)
      throw new ProtocolError(ErrorCode.InvalidParams, `There is no prompt "${params.name}".`);
    const given = params.arguments ?? {};
    const missing = missingArgument(prompt, given);
    if (missing !== undefined)
      throw new ProtocolError(
        ErrorCode.InvalidParams,
        `The argument "${missing}" of the prompt "${params.name}" is missing.`,
      );
    return promptOf(prompt, given).catch((error: unknown) => {
      throw new ProtocolError(ErrorCode.InvalidParams, sentenceOf(error));
    });
  });
  server.setRequestHandler(CompleteRequestSchema, async ({ params: { argument } }) => {
    const { name, value } = argument;
    const isId = name === 'instance' || name === 'id';
    const values =
      isId && may('read')
        ? (await host.find({ prefix: value })).map(({ id }) => id)
        : name === 'format'
          ? (editor?.formats ?? []).filter((format) => format.startsWith(value))
          : [];
    return { completion: { values: values.slice(0, completionsMax), total: values.length } };
  });
}

/** Words an error as a sentence, with the next step. */
function sentenceOf(error: unknown): string {
  if (error instanceof z.ZodError) return `The arguments do not fit. ${z.prettifyError(error)}`;
  const { message, hint } = error as { message?: unknown; hint?: unknown };
  const text = typeof message === 'string' ? message : String(error);
  return withoutSecrets(typeof hint === 'string' ? `${text} ${hint}` : text);
}

const definition = {
  text: longText.describe('The definition: JSON, JSON with comments, or YAML.'),
  fileName: word.optional().describe('The name of its file, such as intake.plan.json.'),
};

/** Tools for an assistant that writes definitions. */
function editorTools(editor: McpEditor): ServedTool[] {
  const tool = <Input extends z.ZodType>(
    given: Omit<Parameters<typeof servedTool<Input>>[0], 'scope' | 'isReadOnly'>,
  ) => servedTool<Input>({ ...given, scope: 'define', isReadOnly: true });
  return [
    tool({
      name: 'check',
      description: 'Finds the mistakes of a definition, with lines, columns and hints.',
      input: z.object(definition),
      run: (input) => editor.check(input),
    }),
    tool({
      name: 'compile',
      description: 'Compiles a definition, and returns its chart: an XState machine as JSON.',
      input: z.object(definition),
      run: (input) => editor.compile(input),
    }),
    tool({
      name: 'explain',
      description: 'Returns the format of a definition and a drawing of its states in Mermaid.',
      input: z.object(definition),
      run: (input) => editor.explain(input),
    }),
    tool({
      name: 'test_state',
      description:
        'Runs a single state of a workflow, with a mock of its calls: {"result": …} or {"errorOutput": {"error": …, "cause": …}}.',
      input: z.object({
        ...definition,
        state: word.optional(),
        input: anyJson.optional(),
        mock: anyJson.optional(),
      }),
      run: (input) => editor.testState(input),
    }),
    tool({
      name: 'run',
      description:
        'Runs a definition once in memory, without a model and without effects, and returns the transcript or the output.',
      input: z.object({
        ...definition,
        input: anyJson.optional(),
        messages: z
          .array(z.string().max(10_000))
          .max(50)
          .optional()
          .describe('What the person says, one message after another.'),
      }),
      run: (input, { signal }) => editor.run(input, signal),
    }),
  ];
}

/** Serves a client on the standard streams of this process, until the client closes them or the signal aborts. */
export async function serveStdio(options: McpServerOptions, signal: AbortSignal): Promise<void> {
  const server = mcpServer(options);
  const ended = Promise.race([
    once(process.stdin, 'end'),
    once(process.stdin, 'close'),
    ...(signal.aborted ? [Promise.resolve()] : [once(signal, 'abort')]),
  ]);
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}
