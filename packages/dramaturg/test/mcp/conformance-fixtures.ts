import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

/** What the conformance suite calls in a server. Its own names begin with these. */
const isFixture = (name: string) => /^(test[_:]|json_schema)/.test(name);

const image = {
  type: 'image' as const,
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
};
const audio = {
  type: 'audio' as const,
  mimeType: 'audio/wav',
  data: 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=',
};
const text = (value: string) => ({ type: 'text' as const, text: value });
const resource = (uri: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType: 'text/plain', text: 'An embedded resource.' },
});

type Handler = Parameters<Server['setRequestHandler']>[1];
type Extra = Parameters<Handler>[1];
type Run = (input: Record<string, unknown>, extra: Extra) => Promise<object[]> | object[];

const names = ['option1', 'option2', 'option3'];
const titled = (prefix: string) =>
  ['value1', 'value2', 'value3'].map((each) => ({ const: each, title: `${prefix} ${each}` }));

const forms = {
  test_elicitation: { response: { type: 'string', description: 'An answer' } },
  test_elicitation_sep1034_defaults: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
  test_elicitation_sep1330_enums: {
    untitledSingle: { type: 'string', enum: names },
    titledSingle: { type: 'string', oneOf: titled('The') },
    legacyEnum: { type: 'string', enum: names, enumNames: ['One', 'Two', 'Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: names } },
    titledMulti: { type: 'array', items: { anyOf: titled('Every') } },
  },
};

const asking =
  (properties: object): Run =>
  async (_input, { sendRequest }) => {
    const params = { message: 'Please answer.', requestedSchema: { type: 'object', properties } };
    const request = { method: 'elicitation/create', params } as never;
    const { action, content } = await sendRequest(request, ElicitResultSchema);
    return [text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)];
  };

const tools: Readonly<Record<string, Run>> = {
  test_simple_text: () => [text('This is a simple text response for testing.')],
  test_image_content: () => [image],
  test_audio_content: () => [audio],
  test_embedded_resource: () => [resource('test://embedded-resource')],
  test_multiple_content_types: () => [text('Several:'), image, resource('test://mixed')],
  test_tool_with_logging: async (_input, { sendNotification }) => {
    for (const data of ['started', 'working', 'completed']) {
      await sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
      await pause(50);
    }
    return [text('Logged.')];
  },
  test_tool_with_progress: async (_input, { sendNotification, _meta: meta }) => {
    const { progressToken = 0 } = meta ?? {};
    for (const progress of [0, 50, 100]) {
      const params = { progressToken, progress, total: 100 };
      await sendNotification({ method: 'notifications/progress', params });
      await pause(50);
    }
    return [text(String(progressToken))];
  },
  test_error_handling: () => {
    throw new Error('This tool intentionally returns an error for testing');
  },
  test_reconnection: async (_input, { closeSSEStream }) => {
    closeSSEStream?.();
    await pause(100);
    return [text('Reconnected.')];
  },
  test_sampling: async ({ prompt }, { sendRequest }) => {
    const messages = [{ role: 'user' as const, content: text(String(prompt)) }];
    const params = { messages, maxTokens: 100 };
    const request = { method: 'sampling/createMessage' as const, params };
    const { content } = await sendRequest(request, CreateMessageResultSchema);
    return [text(`LLM response: ${JSON.stringify(content)}`)];
  },
  ...Object.fromEntries(Object.entries(forms).map(([name, form]) => [name, asking(form)])),
  json_schema_2020_12_tool: () => [text('Called.')],
};

const schemas: Readonly<Record<string, object>> = {
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: {
      address: {
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
};

const resources: Readonly<Record<string, object>> = {
  'test://static-text': { mimeType: 'text/plain', text: 'A static text.' },
  'test://static-binary': { mimeType: 'image/png', blob: image.data },
  'test://template/123/data': { mimeType: 'application/json', text: '{"id":"123"}' },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched.' },
};

const prompts: Readonly<Record<string, (given: Record<string, string>) => object[]>> = {
  test_simple_prompt: () => [text('This is a simple prompt for testing.')],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [text(`arg1='${arg1}', arg2='${arg2}'`)],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [resource(resourceUri!), text('Read.')],
  test_prompt_with_image: () => [image, text('Look.')],
};

/** Adds to a server what the suite calls. Everything else goes to the handlers of the server. */
export function withFixtures(server: Server): Server {
  // The SDK gives no handlers back.
  const handlers = Reflect.get(server, '_requestHandlers') as Map<string, Handler>;
  const own = (method: string) => {
    const handler = handlers.get(method)!;
    return (request: object, extra: Extra) => handler(request, extra) as Promise<never>;
  };
  server.registerCapabilities({ logging: {} });
  server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  const listTools = own('tools/list');
  server.setRequestHandler(ListToolsRequestSchema, async (request, extra) => {
    const listed = (await listTools(request, extra)) as { tools: object[] };
    const added = Object.keys(tools).map((name) => ({
      name,
      description: `Does ${name}.`,
      inputSchema: { type: 'object' as const, ...schemas[name] },
    }));
    return { tools: [...listed.tools, ...added] };
  });
  const callTool = own('tools/call');
  server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
    const { name, arguments: input = {} } = request.params;
    if (!isFixture(name)) return callTool(request, extra);
    try {
      return { content: await tools[name]!(input, extra) };
    } catch (error) {
      return { content: [text((error as Error).message)], isError: true };
    }
  });
  const listResources = own('resources/list');
  server.setRequestHandler(ListResourcesRequestSchema, async (request, extra) => {
    const listed = (await listResources(request, extra)) as { resources: object[] };
    const added = Object.keys(resources).map((uri) => ({ uri, name: uri }));
    return { resources: [...listed.resources, ...added] };
  });
  const readResource = own('resources/read');
  server.setRequestHandler(ReadResourceRequestSchema, async (request, extra) => {
    const { uri } = request.params;
    if (!isFixture(uri)) return readResource(request, extra);
    return { contents: [{ uri, ...resources[uri] }] };
  });
  for (const schema of [SubscribeRequestSchema, UnsubscribeRequestSchema]) {
    const inner = own(schema.shape.method.value);
    server.setRequestHandler(schema, async (request: { params: { uri: string } }, extra) =>
      isFixture(request.params.uri) ? {} : inner(request, extra),
    );
  }
  const listPrompts = own('prompts/list');
  server.setRequestHandler(ListPromptsRequestSchema, async (request, extra) => {
    const listed = (await listPrompts(request, extra)) as { prompts: object[] };
    return {
      prompts: [
        ...listed.prompts,
        ...Object.keys(prompts).map((name) => ({ name, description: name })),
      ],
    };
  });
  const getPrompt = own('prompts/get');
  server.setRequestHandler(GetPromptRequestSchema, async (request, extra) => {
    const { name, arguments: given = {} } = request.params;
    if (!isFixture(name)) return getPrompt(request, extra);
    const contents = prompts[name]!(given);
    return { messages: contents.map((content) => ({ role: 'user', content })) };
  });
  return server;
}
