import { once } from 'node:events';
import { parseArgs } from 'node:util';
import type { JsonObject } from '@dramaturg/compiler';
import {
  type ChatRequest,
  type ModelAnswer,
  modelServer,
  PromptCache,
  usageFor,
} from '@dramaturg/langchain/testing';
import { required } from '../prompts/scripted-model.ts';

const help = `Starts a model that says the same to everything, and shows how much of each request was the beginning of an earlier one.

It speaks OpenAI's chat completions on this machine, and fills schemas with samples. Four characters count as a token. It ends with Ctrl+C.

  npm run model-server
  npm run model-server -- --port 4010
  npm run model-server -- --json
  npx dramaturg run docs/examples/customer-intake.plan.json --model openai:any --base-url http://127.0.0.1:4010/v1

Options:
  --port <number>  The port to listen on. Default: 4010.
  --json           Prints a line of JSON for each request.
  --help, -h       Shows this help.
`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4010' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) {
  console.log(help);
} else {
  await serve(Number(values.port));
}

async function serve(port: number): Promise<void> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    return fail(`--port has to be a number from 0 to 65535, and not "${values.port}".`);
  const cache = new PromptCache();
  try {
    const server = await modelServer(
      (request, count) => {
        const tokens = cache.count(request);
        const share = tokens.input === 0 ? 0 : tokens.cached / tokens.input;
        const line = { request: count, answers: formOf(request), ...tokens, share };
        console.log(
          values.json
            ? JSON.stringify(line)
            : `${count}: ${line.answers}, ${tokens.input} tokens, ${tokens.cached} of them the beginning of an earlier request (${Math.round(share * 100)} %)`,
        );
        return { ...answerTo(request), usage: usageFor(tokens) };
      },
      { port },
    );
    console.error(`The model is at ${server.baseUrl}.`);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    await server[Symbol.asyncDispose]();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    fail(`Port ${port} is taken: choose another one with --port.`);
  }
}

function fail(reason: string): void {
  console.error(reason);
  process.exitCode = 2;
}

function schemaOf({ response_format: form, tools = [] }: ChatRequest): JsonObject | undefined {
  return (
    form?.json_schema?.schema ??
    tools.find((tool) => tool.function.name === 'answer')?.function.parameters
  );
}

function formOf(request: ChatRequest): string {
  return schemaOf(request) === undefined ? 'text' : 'schema';
}

function answerTo(request: ChatRequest): ModelAnswer {
  const schema = schemaOf(request);
  if (schema === undefined) return { text: 'Thank you. Please tell me a little more about it.' };
  return { text: JSON.stringify(required(schema)) };
}
