import {
  isRecord,
  type JsonObject,
  type PortName,
  type ToolCall,
  type ToolSpec,
} from '@dramaturg/compiler';
import type { Asking } from '../model/asking.ts';
import type { ChatModel, Message } from '../model/chat-model.ts';
import type { Completion } from '../model/completion.ts';
import { CutOffError, type ModelContext, NoAnswerError, statusOf } from '../model/model-errors.ts';
import type { Model } from '../model/model.ts';
import { disarmed } from '../prompt/composer.ts';
import { argumentsIn, jsonInText, OfferedTools } from './tool-calls.ts';

export interface ClosedQuestion<Answer> {
  readonly messages: readonly Message[];
  /** The schema of the answer. */
  readonly schema: JsonObject;
  /** Whether every property is required, so that a provider can enforce the schema strictly. */
  readonly strict: boolean;
  readonly tools: readonly ToolSpec[];
  /** Reads an answer, or describes to the model what is wrong with it. */
  readonly read: (value: unknown) => { readonly answer: Answer } | { readonly problem: string };
}

export type ClosedAnswer<Answer> =
  | { readonly answer: Answer }
  | { readonly toolCalls: readonly ToolCall[] }
  /** The second answer was wrong too. `value` is the part of it that could be read. */
  | { readonly problem: string; readonly value: unknown };

const answerTool = 'answer';

/**
 * Asks a model for closed answers, in the best mode that its server supports.
 *
 * Owns the mode of each port. When a server rejects a request, the mode moves down: JSON schema, function calling, text.
 */
export class ClosedAnswers {
  readonly #model: Model;
  readonly #fixedMode: AnswerMode | undefined;
  /** The mode in use, by port: a server may reject the schemas of one port only. */
  readonly #modes = new Map<PortName, AnswerMode>();

  constructor(model: Model) {
    this.#model = model;
    this.#fixedMode = model.answers;
  }

  contextOf(asking: Asking): ModelContext {
    return this.#model.contextOf(asking);
  }

  /** Whether the schema of an answer is part of the prompt, and should stay constant for the cache. */
  get countsForm(): boolean {
    return this.#model.countsForm;
  }

  /** Asks a model. After an invalid answer, asks once more with a description of the mistake. */
  async ask<Answer>(
    question: ClosedQuestion<Answer>,
    asking: Asking,
  ): Promise<ClosedAnswer<Answer>> {
    const first = await this.#once(question, question.messages, asking).catch(problemOfCutOff);
    if (!('problem' in first)) return first;
    const second = await this.#once(question, repairing(question.messages, first), asking);
    return second;
  }

  async #once<Answer>(
    question: ClosedQuestion<Answer>,
    messages: readonly Message[],
    asking: Asking,
  ): Promise<ClosedAnswer<Answer> & { readonly written?: string }> {
    const offered = new OfferedTools(question.tools, { reserved: [answerTool] });
    const { text, ...completion } = await this.#complete(question, messages, offered, asking);
    const calls = completion.toolCalls.length > 0 ? completion.toolCalls : callsInText(text);
    const toolCalls = offered.closedCalls(calls);
    if (toolCalls.length > 0) return { toolCalls };
    const answer = completion.toolCalls.find(({ name }) => name === answerTool);
    const value = answer === undefined ? jsonInText(text) : argumentsIn(answer.arguments);
    const written = answer === undefined ? text : JSON.stringify(answer.arguments);
    if (value === undefined)
      return { problem: 'It is not a JSON object of the wanted form.', value, written };
    const read = question.read(value);
    return 'problem' in read ? { ...read, value, written } : read;
  }

  async #complete<Answer>(
    { schema, strict }: ClosedQuestion<Answer>,
    messages: readonly Message[],
    offered: OfferedTools,
    asking: Asking,
  ): Promise<Completion> {
    const model = await this.#model.load(asking.port);
    for (;;) {
      const mode = this.#fixedMode ?? this.#modes.get(asking.port) ?? bestMode(model);
      try {
        if (mode === 'text')
          return await this.#model.ask(inText(messages, schema, offered), asking);
        // The JSON mode does not support tools.
        if (mode === 'jsonSchema' && offered.isEmpty)
          return await this.#model.askForJson(messages, schema, asking, {
            name: answerTool,
            strict,
          });
        const description = 'Give your answer.';
        const tools = [...offered.wire, { name: answerTool, description, parameters: schema }];
        const mustCall = offered.isEmpty ? answerTool : 'any';
        return await this.#model.ask(messages, asking, { tools, mustCall });
      } catch (error) {
        const next = nextMode(mode === 'jsonSchema' && !offered.isEmpty ? 'functionCalling' : mode);
        if (this.#fixedMode !== undefined || next === undefined || !isUnsupported(error))
          throw error;
        this.#modes.set(asking.port, next);
      }
    }
  }
}

/** The problem of an answer that was cut off. Its beginning is not read: the next answer may be shorter. */
function problemOfCutOff(error: unknown): { problem: string; value: undefined; written?: string } {
  if (error instanceof Error && error.cause instanceof CutOffError)
    return { problem: 'It was cut off because it was too long.', value: undefined };
  throw error;
}

function repairing(
  messages: readonly Message[],
  { problem, written }: { readonly problem: string; readonly written?: string },
): Message[] {
  return [
    ...messages,
    // A person may have made the model repeat marks and tokens, so the answer is disarmed.
    {
      role: 'assistant',
      content: written === undefined || written === '' ? '(empty)' : disarmed(written),
    },
    {
      role: 'user',
      content: `Your answer cannot be used. ${disarmed(problem)} Answer again, in the form that was asked for.`,
    },
  ];
}

/** Asks models without a JSON mode and without tools: the instructions describe the form. */
function inText(
  messages: readonly Message[],
  schema: JsonObject,
  offered: OfferedTools,
): Message[] {
  const form = [
    '# Form of the answer',
    `Answer with one JSON object and nothing else. It has to fit this JSON Schema:\n${JSON.stringify(schema)}`,
    ...(offered.isEmpty
      ? []
      : [
          `Or, to use tools before you answer: {"toolCalls": [{"name": "...", "arguments": {}}]}. There are these tools:\n${JSON.stringify(offered.wire)}`,
        ]),
  ].join('\n');
  return instructed(messages, form);
}

/** Adds instructions at the end of the system message, for models that lack a mode or tools. */
function instructed(messages: readonly Message[], instructions: string): Message[] {
  const [first, ...rest] = messages;
  if (first?.role !== 'system') return [{ role: 'system', content: instructions }, ...messages];
  return [{ role: 'system', content: `${first.content}\n\n${instructions}` }, ...rest];
}

/** The calls that a model wrote as `{"toolCalls": [...]}`. */
function callsInText(text: string): Completion['toolCalls'] {
  const value = jsonInText(text);
  const calls = isRecord(value) ? value['toolCalls'] : undefined;
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call: unknown) =>
    isRecord(call) && typeof call['name'] === 'string'
      ? [{ name: call['name'], arguments: call['arguments'] }]
      : [],
  );
}

/** The ways to get a closed answer, the most reliable first. */
const modes = ['jsonSchema', 'functionCalling', 'text'] as const;
type AnswerMode = (typeof modes)[number];

/** The best mode that the model may support. LangChain does not have a profile for every model, so requests find out the rest. */
function bestMode(model: ChatModel): AnswerMode {
  const { profile, bindTools, withStructuredOutput } = model;
  if (bindTools === undefined) return 'text';
  const hasSchemas = withStructuredOutput !== undefined && profile?.structuredOutput !== false;
  if (hasSchemas && isSchemaMode(profile)) return 'jsonSchema';
  return lacksTools(model) ? 'text' : 'functionCalling';
}

function lacksTools({ profile, bindTools }: ChatModel): boolean {
  return bindTools === undefined || profile?.toolCalling === false;
}

function isSchemaMode(profile: ChatModel['profile']): boolean {
  return profile?.structuredOutput === true || Object.keys(profile ?? {}).length === 0;
}

function nextMode(mode: AnswerMode): AnswerMode | undefined {
  return modes[modes.indexOf(mode) + 1];
}

/** Whether a server rejected the mode of a request, and not its content. */
function isUnsupported(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof NoAnswerError) return false;
  const status = statusOf(cause);
  const text = isRecord(cause) ? String(cause['message']) : '';
  const isAboutForm =
    /response_format|json_?schema|structured|\btools?\b|tool_choice|function|not support/i.test(
      text,
    );
  return (
    (status === undefined || [400, 415, 422, 501].includes(status)) &&
    isAboutForm &&
    !/context/i.test(text)
  );
}

/** Asks for a text, with tools on offer. A model without support for tools writes its calls into the text. */
export class ToolAnswers {
  readonly #model: Model;
  /** Whether calls are written into the text, because the server rejected tools. */
  #callsAreText = false;

  constructor(model: Model) {
    this.#model = model;
  }

  /** @param how `stream` passes on the text while it is generated */
  async ask(
    how: 'ask' | 'stream',
    messages: readonly Message[],
    offered: OfferedTools,
    asking: Asking,
  ): Promise<Completion> {
    if (offered.isEmpty) return this.#model[how](messages, asking);
    const { port, call } = asking;
    if (!this.#callsAreText && !lacksTools(await this.#model.load(port))) {
      let hasSpoken = false;
      const onText = (text: string) => {
        hasSpoken = true;
        call.onText(text);
      };
      try {
        const { signal, maxTokens, readAttachment } = call;
        const watched = { ...asking, call: { signal, maxTokens, readAttachment, onText } };
        return await this.#model[how](messages, watched, { tools: offered.wire });
      } catch (error) {
        if (hasSpoken || !isUnsupported(error)) throw error;
        this.#callsAreText = true;
      }
    }
    // Not streamed: the text may end with calls, which are not for the person.
    const completion = separated(
      await this.#model.ask(instructed(messages, formOf(offered)), asking),
    );
    if (how === 'stream' && completion.text !== '') call.onText(completion.text);
    return completion;
  }
}

function formOf({ wire }: OfferedTools): string {
  return [
    '# Tools',
    'To call tools, write this at the very end, in a line of its own: {"toolCalls": [{"name": "...", "arguments": {}}]}',
    `That line is taken out before anybody reads the rest. There are these tools:\n${JSON.stringify(wire)}`,
  ].join('\n');
}

/** Separates the text from the calls after it. */
function separated(completion: Completion): Completion {
  const at = completion.text.search(/(?:```(?:json)?\s*)?\{\s*"toolCalls"/);
  if (at < 0) return completion;
  const text = completion.text.slice(0, at).trim();
  return { ...completion, text, toolCalls: callsInText(completion.text.slice(at)) };
}
