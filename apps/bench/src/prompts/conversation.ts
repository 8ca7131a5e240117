import {
  type AnyActor,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  waitFor,
} from 'xstate';
import {
  type JsonObject,
  listen,
  type PortInput,
  type PortName,
  type Ports,
  providePorts,
  type SpokenLine,
} from '@dramaturg/compiler';
import { langchainPorts, type LangchainOptions, type LangchainPorts } from '@dramaturg/langchain';
import {
  type ChatRequest,
  type ModelAnswer,
  modelServer,
  type ModelServer,
} from '@dramaturg/langchain/testing';
import { realClock } from 'dramaturg';
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

export interface Conversation {
  readonly machine: AnyStateMachine;
  readonly turns: number;
  /** Something happens with every so many messages of the person. */
  readonly pace: number;
  readonly input?: object;
  readonly options?: Partial<LangchainOptions>;
  /** Starts the server of the model. Default: one that counts tokens and answers at once. */
  readonly serve?: (answer: () => ModelAnswer) => Promise<ModelServer>;
}

export interface Played {
  readonly calls: readonly MeasuredCall[];
  readonly requests: readonly ChatRequest[];
}

/** Plays a conversation with a scripted model behind a real client and a local server, which counts tokens. */
export async function playConversation({
  machine,
  turns,
  pace,
  input = {},
  options,
  serve = (answer) => modelServer(answer, { countsTokens: true }),
}: Conversation): Promise<Played> {
  const script = new Script(pace);
  let answer: ModelAnswer = {};
  const server = await serve(() => answer);
  // Not as `baseUrl`, which would be a server of one's own: the prompts are those for OpenAI.
  const modelOptions = {
    apiKey: 'key-of-the-test-server',
    configuration: { baseURL: server.baseUrl },
  };
  const model = langchainPorts({ model: 'openai:measured', modelOptions, ...options });
  const calls: MeasuredCall[] = [];
  let turn = 0;
  const scripted = scriptedPorts(model, script, {
    combines: options?.combineReplies === true,
    answers: (next) => (answer = next),
    called: (call) => calls.push({ ...call, turn }),
  });
  const said: SpokenLine[] = [];
  const ports = { timer: realClock().timer, ...scripted };
  const actor = createActor(providePorts(machine, ports, { transcript: () => said }), {
    input,
    ...listen(() => {}),
  });
  actor.on('message.sent', (event: { readonly text?: unknown }) => {
    said.push({ role: 'agent', text: String(event.text) });
  });
  actor.subscribe({ error: () => {} });
  actor.start();
  for (let next = 1; next <= turns && (await isWaiting(actor)); next += 1) {
    turn = next;
    const text = script.personSays(turn);
    said.push({ role: 'contact', text });
    actor.send({ type: 'message.received', text });
  }
  await isWaiting(actor);
  actor.stop();
  await server[Symbol.asyncDispose]();
  return { calls, requests: server.requests };
}

type Measured = Omit<MeasuredCall, 'turn'>;

/** Tells the server before each call what its model says. */
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
  const measured = <Name extends 'reply' | 'choose' | 'extract' | 'think'>(
    port: Name,
    answerFor: (input: Parameters<Ports[Name]>[0]) => ModelAnswer,
  ): Ports[Name] =>
    (async (input: never, call: never) => {
      answers(answerFor(input));
      const output = await model[port](input, call);
      const {
        // A reply that was written before costs nothing.
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
  };
}

async function isWaiting(actor: AnyActor): Promise<boolean> {
  const { status, error } = await waitFor(
    actor,
    (snapshot: AnyMachineSnapshot) => snapshot.status !== 'active' || snapshot.hasTag('waiting'),
  );
  if (status === 'error') throw error;
  return status === 'active';
}
