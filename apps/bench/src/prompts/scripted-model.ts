import {
  isRecord,
  type Json,
  type JsonObject,
  type PortInput,
  type PortName,
  type Ports,
} from '@dramaturg/compiler';
import { type LangchainOptions, langchainPorts, type LangchainPorts } from '@dramaturg/langchain';
import { type ModelAnswer, modelServer, type ModelServer } from '@dramaturg/langchain/testing';

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

/**
 * The answers of the model in a measured conversation. They do not depend on the prompt: the model moves on with every `pace`th
 * message of the person only, so that other programs can play the same conversation.
 */
export class Script {
  readonly #pace: number;
  #turn = 0;
  /** The turn in which the conversation last moved on: only one choice of a turn does it. */
  #movedIn = 0;

  constructor(pace: number) {
    this.#pace = pace;
  }

  /** The message of the person with which a turn begins. */
  personSays(turn: number): string {
    this.#turn = turn;
    return `Well, about point ${turn}: it began on a Monday, when I came home from work, and it has not been the same since then.`;
  }

  /** The answer of an agent of a workflow. */
  agent(): ModelAnswer {
    return {
      text: JSON.stringify(
        `Finding ${this.#turn}: the garden on the hill was sold in spring, and the people who worked there went to the coast.`,
      ),
    };
  }

  think(): ModelAnswer {
    return { text: 'They seem to be in a hurry.' };
  }

  /** Whether the conversation moves on in this turn. */
  get moves(): boolean {
    return this.#turn > 0 && this.#turn % this.#pace === 0;
  }

  reply({ directions }: Pick<PortInput<'reply'>, 'directions'>): ModelAnswer {
    const done = directions.flatMap((direction) => direction.done ?? []);
    return { text: this.#text, toolCalls: this.moves ? done : [] };
  }

  get #text(): string {
    return `Thank you, I have noted point ${this.#turn} for you. Before we go on, please tell me a little more about it: when did it begin, and what have you tried so far?`;
  }

  /** The message that comes with data. It asks for data that is then missing, in this state or in a possible next one. */
  written(
    { reply }: Pick<PortInput<'extract'>, 'reply'>,
    data: JsonObject,
    option?: string,
  ): JsonObject {
    const known = Object.keys(Object(data['deliverables']) as object);
    const { cases = [] } = reply ?? {};
    const open = cases.map(({ id, asks, directions }) => ({
      id,
      directions,
      asks: asks.filter(({ name }) => !known.includes(name)),
    }));
    const isOpen = ({ asks, directions }: (typeof open)[number]) =>
      asks.length > 0 || directions.some(({ done }) => done !== undefined);
    const isNothingNew = ({ id }: { readonly id: string }) => id.endsWith(', nothing new');
    const found =
      option === undefined
        ? ((known.length === 0 ? open.find(isNothingNew) : undefined) ??
          open.find((each) => isOpen(each) && !isNothingNew(each)) ??
          open[0])
        : open.find(({ id }) => id === option);
    const text = found === undefined ? '' : this.#text;
    const does = this.moves ? (found?.directions ?? []).map((_, index) => index + 1) : [];
    return { case: found?.id ?? '', asks: found?.asks[0]?.name ?? '', does, text };
  }

  choose({ options, fallback }: Pick<PortInput<'choose'>, 'options' | 'fallback'>) {
    const ids = options.map(({ id }) => id);
    const stays = ids.find((id) => id === 'redirect') ?? fallback ?? ids[0]!;
    const moves = ids.find((id) => /^(?:pass|E|exit)/.test(id)) ?? ids.find((id) => id !== stays);
    const isMove = this.moves && this.#movedIn !== this.#turn && moves !== undefined;
    if (isMove) this.#movedIn = this.#turn;
    return { option: isMove ? moves : stays, reason: 'So it seems.' };
  }

  extract({ schema, asked }: Pick<PortInput<'extract'>, 'schema' | 'asked'>): JsonObject {
    const value = required(schema);
    if (!this.moves || asked === undefined) return value;
    const [field, name] = asked.path;
    if (field === 'tasks') return { ...value, completed_tasks: [name!] };
    if (name === undefined) return { ...value, [field!]: true };
    const known = isRecord(schema['properties']) ? schema['properties'][field!] : undefined;
    const inner = isRecord(known) && isRecord(known['properties']) ? known['properties'][name] : {};
    return { ...value, [field!]: { [name]: sampleOf(inner) } };
  }
}

/** Fills the required properties of a schema. */
function required(schema: JsonObject): JsonObject {
  const names = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const { properties } = schema;
  return Object.fromEntries(
    names.map((name) => [name, sampleOf(isRecord(properties) ? properties[name] : {})]),
  );
}

/** A value that fits a schema. */
function sampleOf(schema: unknown): Json {
  if (!isRecord(schema)) return null;
  const { type, enum: values } = schema;
  if (Array.isArray(values)) return values[0] as Json;
  switch (type) {
    case 'number':
    case 'integer':
      return 7;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return required(schema as JsonObject);
    default:
      return 'since Monday evening';
  }
}
