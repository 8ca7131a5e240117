import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { PortCall, PortInput } from '@dramaturg/compiler';
import { langchainPorts } from '@dramaturg/langchain';
import { modelServer, type ChatRequest } from '@dramaturg/langchain/testing';
import { ChatOpenAI } from '@langchain/openai';
import { type Prepare, readingsOf } from '../measure.ts';
import { OwnProcess } from '../own-process/own-process.ts';
import { mean, quantile } from '../host/stores.ts';

const latency = 50;
const callsOfSample = 20;

/**
 * Compares a reply through our ports with the bare LangChain call: the same client, messages, tools and parts of text.
 * The two alternate. Processor time excludes the model, which runs in another process.
 */
export const prepare: Prepare = async () => {
  const child = fork(join(import.meta.dirname, 'server.ts'));
  const [baseUrl] = (await once(child, 'message')) as [string];
  const request = await requestOf(question);
  const contenders = (wait: number) =>
    [ours(baseUrl, wait), theirs(baseUrl, wait, request)] as const;
  // Warms up the JIT.
  const [ourWarmUp, theirWarmUp] = contenders(0);
  for (let count = 0; count < 500; count += 1) {
    const [ourText, theirText] = [await ourWarmUp(), await theirWarmUp()];
    if (ourText !== theirText) throw new Error(`The replies differ: ${ourText} and ${theirText}.`);
  }
  const [reply, bareReply] = contenders(latency);
  return {
    sample: async () => {
      const [our, their] = [new Meter(), new Meter()];
      for (let count = 0; count < callsOfSample; count += 1) {
        await our.run(reply);
        await their.run(bareReply);
      }
      return {
        over: our.time / their.time,
        processor: our.processor - their.processor,
        bare: their.time,
        bareProcessor: their.processor,
      };
    },
    close: async () => void child.kill(),
  };
};

type Reply = () => Promise<string>;

function ours(baseUrl: string, wait: number): Reply {
  const ports = langchainPorts({ model: `openai:wait-${wait}`, baseUrl });
  return async () => {
    let text = '';
    const call: PortCall = {
      signal: new AbortController().signal,
      onText: (part) => (text += part),
      transcript: async () => transcript,
    };
    await ports.reply(question, call);
    return text;
  };
}

/** Calls LangChain as its documentation shows. */
function theirs(baseUrl: string, wait: number, { messages, tools = [] }: ChatRequest): Reply {
  const model = new ChatOpenAI({
    model: `wait-${wait}`,
    apiKey: 'no-key',
    configuration: { baseURL: baseUrl },
  }).bindTools([...tools] as never[]);
  const turns = messages.map(({ role, content }): [string, string] => [role, content]);
  return async () => {
    let text = '';
    const { signal } = new AbortController();
    for await (const { content } of await model.stream(turns, { signal }))
      text += content as string;
    return text;
  };
}

/** The request that our ports send for the question. */
async function requestOf(input: PortInput<'reply'>): Promise<ChatRequest> {
  const server = await modelServer(() => ({ text: 'Well.' }));
  const { reply } = langchainPorts({ model: 'openai:any', baseUrl: server.baseUrl });
  const call = {
    signal: new AbortController().signal,
    onText: () => {},
    transcript: async () => transcript,
  };
  await reply(input, call);
  await server[Symbol.asyncDispose]();
  return server.requests[0]!;
}

/** Measures elapsed time and processor time of calls, in milliseconds. */
class Meter {
  readonly #times: number[] = [];
  readonly #processor: number[] = [];

  async run(reply: Reply): Promise<void> {
    const [start, used] = [performance.now(), process.cpuUsage()];
    await reply();
    const { user, system } = process.cpuUsage(used);
    this.#times.push(performance.now() - start);
    this.#processor.push((user + system) / 1_000);
  }

  get time(): number {
    return quantile(this.#times, 0.5);
  }

  get processor(): number {
    return mean(this.#processor);
  }
}

const transcript = Array.from({ length: 11 }, (_, index) =>
  index % 2 === 0
    ? ({
        role: 'contact',
        text: `This is what I say for the time ${index}, in a sentence.`,
      } as const)
    : ({
        role: 'agent',
        text: `And this is what I answer for the time ${index}, in two.`,
      } as const),
);

const question: PortInput<'reply'> = {
  key: 'bench/6/reply',
  transcript: { conversation: 'bench', length: 11 },
  message: transcript.at(-1)!.text,
  prompt: [
    { title: 'Role', text: 'You hold the conversation "Customer support". '.repeat(4) },
    {
      title: 'Where we are',
      text: 'Collect essential customer information before routing. '.repeat(4),
    },
    {
      title: 'Tasks',
      text: 'Identify Customer: ask for the name and the account number. '.repeat(6),
    },
    { title: 'Collected', text: 'customer_name: "Maria"', data: true },
  ],
  asks: [
    {
      name: 'account_number',
      question: 'What is your account number?',
      schema: { type: 'string' },
      required: true,
    },
  ],
  directions: [],
  tools: [
    {
      name: 'complete_task',
      description: 'Record that a task is done. Only once it really is.',
      parameters: {
        type: 'object',
        properties: { task_id: { type: 'string', enum: ['identify', 'classify'] } },
        required: ['task_id'],
        additionalProperties: false,
      },
    },
  ],
};

/** The overhead of our ports over a call of LangChain, with a model that takes 50 ms. */
export const modelReply = readingsOf(
  async () => {
    const measurement = await OwnProcess.prepared(import.meta.filename, null);
    return () => measurement.sample();
  },
  {
    over: ['reply of a model over the bare LangChain call, at 50 ms', '×', 1.05],
    processor: ['reply of a model, processor time beside the bare LangChain call', 'ms', 1],
    bare: ['bare LangChain call at 50 ms', 'ms'],
    bareProcessor: ['bare LangChain call, processor time', 'ms'],
  },
  { rounds: 9 },
);
