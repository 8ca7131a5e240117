import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  McpError as ProtocolError,
} from '@modelcontextprotocol/sdk/types.js';
import type { McpServerOptions } from './mcp-host.ts';
import { missingArgument, promptOf, servedPrompts } from './prompts.ts';
import { sentenceOf } from './sentence.ts';

/** The most values that the protocol allows. */
const completionsMax = 100;

/** Adds the prompts that the scopes of the client allow, and completions of their arguments. */
export function addPrompts(
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
