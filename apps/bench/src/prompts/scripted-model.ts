import type { JsonObject, PortInput, PortName, Ports } from '@dramaturg/compiler';
import { langchainPorts, type LangchainOptions, type LangchainPorts } from '@dramaturg/langchain';
import { type ModelAnswer, modelServer, type ModelServer } from '@dramaturg/langchain/testing';
import { Script } from './script.ts';

/** A call of a port in a measured conversation. */
export interface MeasuredCall {
  /** 0 before the first message of the person. */
  readonly turn: number;
  readonly port: PortName;
  readonly requests: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
}

export interface ScriptedOptions {
  /** The conversation moves on with every `pace`th message of the person. */
  readonly pace: number;
  readonly options?: Partial<LangchainOptions> | undefined;
  /** Starts the server of the model. Default: one that counts tokens and answers at once. */
  readonly serve?: ((answer: () => ModelAnswer) => Promise<ModelServer>) | undefined;
}

export interface ScriptedModel extends AsyncDisposable {
  readonly ports: Partial<Ports>;
  readonly calls: readonly MeasuredCall[];
  /** The message of the person that begins a turn. */
  readonly personSays: (turn: number) => string;
}

/** Starts a scripted model behind a real client and a local server. */
export async function scriptedModel({
  pace,
  options,
  serve = (answer) => modelServer(answer, { countsTokens: true }),
}: ScriptedOptions): Promise<ScriptedModel> {
  const script = new Script(pace);
  let answer: ModelAnswer = {};
  const server = await serve(() => answer);
  // Not set as `baseUrl`, which would mean a self-hosted server: the prompts should be those for OpenAI.
  const modelOptions = {
    apiKey: 'key-of-the-test-server',
    configuration: { baseURL: server.baseUrl },
  };
  const model = langchainPorts({
    model: 'openai:measured',
    modelOptions,
    playAgents: true,
    ...options,
  });
  const calls: MeasuredCall[] = [];
  let turn = 0;
  const ports = scriptedPorts(model, script, {
    combines: options?.combineReplies === true,
    answers: (next) => (answer = next),
    called: (call) => calls.push({ ...call, turn }),
  });
  return {
    ports,
    calls,
    personSays: (next) => {
      turn = next;
      return script.personSays(next);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

type Measured = Omit<MeasuredCall, 'turn'>;

/** Sets the answer of the server's model before each call. */
function scriptedPorts(
  model: LangchainPorts,
  script: Script,
  {
    combines,
    answers,
    called,
  }: {
    /** Whether data comes with the next message. */
    readonly combines: boolean;
    readonly answers: (answer: ModelAnswer) => void;
    readonly called: (call: Measured) => void;
  },
): Partial<Ports> {
  const measured = <Name extends 'reply' | 'choose' | 'extract' | 'think' | 'runAgent'>(
    port: Name,
    answerFor: (input: Parameters<Ports[Name]>[0]) => ModelAnswer,
  ): Ports[Name] =>
    (async (input: never, call: never) => {
      answers(answerFor(input));
      const output = await model[port](input, call);
      const {
        // A reply that was already written with data costs nothing.
        requests = 0,
        inputTokens = 0,
        cachedInputTokens = 0,
        outputTokens = 0,
      } = output.usage ?? {};
      const counts = { requests, inputTokens, cachedInputTokens, outputTokens };
      called({ port, ...counts });
      return output;
    }) as Ports[Name];
  const json = (input: Pick<PortInput<'extract'>, 'reply'>, data: JsonObject, option?: string) => {
    const both = combines && input.reply !== undefined;
    const answer = both ? { data, reply: script.written(input, data, option) } : data;
    return { text: JSON.stringify(answer) };
  };
  return {
    ...model,
    reply: measured('reply', (input) => script.reply(input)),
    choose: measured('choose', (input) => {
      const choice = script.choose(input);
      return json(input, choice, choice.option);
    }),
    extract: measured('extract', (input) => json(input, script.extract(input))),
    think: measured('think', () => script.think()),
    runAgent: measured('runAgent', () => script.agent()),
  };
}
