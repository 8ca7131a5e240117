import { langchainPorts } from '@dramaturg/langchain';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

test('a chat model, a tool and a function of one installation fit without a cast', () => {
  const find = tool(({ city }) => city, { name: 'find', schema: z.object({ city: z.string() }) });
  const ports = langchainPorts({
    model: new ChatOpenAI({ model: 'gpt-6-luna' }),
    tools: { find, count: { run: ({ list }) => list, parameters: { type: 'object' } } },
  });
  expectTypeOf(ports.reply).toBeFunction();
  // @ts-expect-error a model is an object with `invoke` and `stream`, or a name
  langchainPorts({ model: { invoke: () => 'text' } });
});
