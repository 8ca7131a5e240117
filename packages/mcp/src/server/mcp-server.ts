import { isRecord } from '@dramaturg/compiler';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError as ProtocolError,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { definitionTools, instanceTools } from './definition-tools.ts';
import { editorTools } from './editor-tools.ts';
import type { McpAudit, McpServerOptions } from './mcp-host.ts';
import { addPrompts } from './prompt-handlers.ts';
import { isResource, listResources, readResource, resourceTemplates } from './resources.ts';
import type { ServedTool, ToolUse } from './served-tool.ts';
import { sentenceOf } from './sentence.ts';
import { Updates } from './updates.ts';

/** The largest result of a tool, in UTF-16 units. */
const resultSizeMax = 1_000_000;

/**
 * An MCP server of a host, not connected yet. Its tools are the definitions, and those for instances, decisions and an
 * editor; its resources are transcripts and charts. See docs/mcp.md#serve-definitions-to-assistants
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
      // It has happened: its answer is sent even if this entry is lost, as in a service.
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

/** Whether an instance has not accepted what a tool has sent. */
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

/** What a handler knows of its request. */
type Extra = Parameters<Parameters<Server['setRequestHandler']>[1]>[1];

/** How long a person may think, in milliseconds. */
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

/** Notifications about the progress of a request; undefined when its client does not ask for them. */
function reporting({ _meta: meta, sendNotification }: Extra): ToolUse['report'] {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (state) => {
    const params = { progressToken, progress: (progress += 1), message: state };
    sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  };
}
