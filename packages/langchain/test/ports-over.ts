import type { PortCall, PortInput } from '@dramaturg/compiler';
import { langchainPorts, type LangchainOptions, type LangchainPorts } from '@dramaturg/langchain';
import {
  type ChatRequest,
  type ModelAnswer,
  modelServer,
  type ModelServer,
  type ModelServerOptions,
} from '@dramaturg/langchain/testing';
import { onTestFinished } from 'vitest';

/** Ports that use the real OpenAI client and a local server with the answers of the test. */
export async function portsOver(
  answer: ModelAnswer | ((request: ChatRequest, count: number) => ModelAnswer),
  options: Partial<LangchainOptions> & { readonly server?: ModelServerOptions } = {},
): Promise<LangchainPorts & { readonly server: ModelServer }> {
  const { server: serverOptions, ...rest } = options;
  const server = await modelServer(
    typeof answer === 'function' ? answer : () => answer,
    serverOptions,
  );
  onTestFinished(() => server[Symbol.asyncDispose]());
  const ports = langchainPorts({
    model: 'openai:test-model',
    baseUrl: server.baseUrl,
    retryDelay: 5,
    ...rest,
  });
  return { ...ports, server };
}

const call = { key: 'c/1', transcript: { conversation: 'c', length: 1 } };

export const reply = (more: Partial<PortInput<'reply'>> = {}): PortInput<'reply'> => ({
  ...call,
  message: 'Hello',
  prompt: [{ title: 'Role', text: 'You are friendly.' }],
  asks: [],
  directions: [],
  tools: [],
  ...more,
});

export const choose = (more: Partial<PortInput<'choose'>> = {}): PortInput<'choose'> => ({
  ...call,
  message: 'Hello',
  prompt: [{ title: 'Role', text: 'You judge.' }],
  options: [
    { id: 'stay', description: 'Nothing was decided.' },
    { id: 'leave', description: 'They want to leave.' },
  ],
  ...more,
});

export const extract = (more: Partial<PortInput<'extract'>> = {}): PortInput<'extract'> => ({
  ...call,
  message: 'I am Maria, 34',
  prompt: [{ title: 'Role', text: 'You take notes.' }],
  schema: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      age: { type: 'integer', minimum: 0 },
      topic: { type: 'string', enum: ['billing', 'technical'] },
    },
    additionalProperties: false,
  },
  ...more,
});

export const think = (more: Partial<PortInput<'think'>> = {}): PortInput<'think'> => ({
  ...call,
  prompt: [{ title: 'What to think about', text: 'What do they need?' }],
  ...more,
});

/** A call without listeners that is not aborted. */
export function quietly(more: Partial<PortCall> = {}): PortCall {
  return { signal: new AbortController().signal, onText: () => {}, ...more };
}

/** All messages of a request as one text. */
export function promptOf(request: ChatRequest | undefined): string {
  return (request?.messages ?? []).map(({ role, content }) => `${role}: ${content}`).join('\n\n');
}
