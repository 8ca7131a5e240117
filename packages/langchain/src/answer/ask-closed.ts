import { type JsonObject, type PortName, type ToolCall, type ToolSpec } from '@dramaturg/compiler';
import type { Asking } from '../model/asking.ts';
import type { Message, Model } from '../model/model.ts';
import type { Place } from '../model/trouble.ts';
import type { Said } from '../model/said.ts';
import { callsInText, instructed } from './in-words.ts';
import { jsonInText } from './json-in-text.ts';
import { argumentsIn, OfferedTools } from './tool-calls.ts';
import { bestWay, isUnsupported, nextWay, type Way } from './ways.ts';

export interface ClosedQuestion<Answer> {
  readonly messages: readonly Message[];
  /** What the answer has to fit. */
  readonly schema: JsonObject;
  /** Every property is wanted, so a provider may hold the model to the schema word for word. */
  readonly strict: boolean;
  readonly tools: readonly ToolSpec[];
  /** Reads an answer, or says what is wrong with it, in words for the model. */
  readonly read: (value: unknown) => { readonly answer: Answer } | { readonly problem: string };
}

export type ClosedAnswer<Answer> =
  | { readonly answer: Answer }
  | { readonly toolCalls: readonly ToolCall[] }
  /** Even the repaired answer was wrong. `value` is what was understood of it. */
  | { readonly problem: string; readonly value: unknown };

const answerTool = 'answer';

/** Asks for closed answers, in the way that the model has shown to understand. */
export class ClosedAsking {
  readonly #model: Model;
  readonly #given: Way | undefined;
  /** By port, the way that was not refused yet: a server may dislike no more than the schemas of one. */
  readonly #ways = new Map<PortName, Way>();

  constructor(model: Model) {
    this.#model = model;
    this.#given = model.answers;
  }

  placeOf(asking: Asking): Place {
    return this.#model.placeOf(asking);
  }

  /** Asks, and once more when the answer is wrong: then the model is shown what was wrong with it. */
  async ask<Answer>(
    question: ClosedQuestion<Answer>,
    asking: Asking,
  ): Promise<ClosedAnswer<Answer>> {
    const first = await this.#once(question, question.messages, asking);
    if (!('problem' in first)) return first;
    const second = await this.#once(question, repairing(question.messages, first), asking);
    return second;
  }

  async #once<Answer>(
    question: ClosedQuestion<Answer>,
    messages: readonly Message[],
    asking: Asking,
  ): Promise<ClosedAnswer<Answer> & { readonly written?: string }> {
    const offered = new OfferedTools(question.tools, [answerTool]);
    const said = await this.#said(question, messages, offered, asking);
    const calls = said.toolCalls.length > 0 ? said.toolCalls : callsInText(said.text);
    const toolCalls = offered.closedCalls(calls);
    if (toolCalls.length > 0) return { toolCalls };
    const answered = said.toolCalls.find(({ name }) => name === answerTool);
    const value = answered === undefined ? jsonInText(said.text) : argumentsIn(answered.arguments);
    const written = answered === undefined ? said.text : JSON.stringify(answered.arguments);
    if (value === undefined) {
      const cut = said.isCutOff ? ' It was cut off because it was too long.' : '';
      return { problem: `It is not a JSON object of the wanted form.${cut}`, value, written };
    }
    const read = question.read(value);
    return 'problem' in read ? { ...read, value, written } : read;
  }

  async #said<Answer>(
    { schema, strict }: ClosedQuestion<Answer>,
    messages: readonly Message[],
    offered: OfferedTools,
    asking: Asking,
  ): Promise<Said> {
    const model = await this.#model.load(asking.port);
    for (;;) {
      const way = this.#given ?? this.#ways.get(asking.port) ?? bestWay(model);
      try {
        if (way === 'text') return await this.#model.ask(inText(messages, schema, offered), asking);
        // The mode for JSON knows no tools.
        if (way === 'jsonSchema' && offered.isEmpty)
          return await this.#model.askForJson(messages, schema, asking, {
            name: answerTool,
            strict,
          });
        const description = 'Give your answer.';
        const tools = [...offered.wire, { name: answerTool, description, parameters: schema }];
        const mustCall = offered.isEmpty ? answerTool : 'any';
        return await this.#model.ask(messages, asking, { tools, mustCall });
      } catch (error) {
        const next = nextWay(way === 'jsonSchema' && !offered.isEmpty ? 'functionCalling' : way);
        if (this.#given !== undefined || next === undefined || !isUnsupported(error)) throw error;
        this.#ways.set(asking.port, next);
      }
    }
  }
}

function repairing(
  messages: readonly Message[],
  { problem, written }: { readonly problem: string; readonly written?: string },
): Message[] {
  return [
    ...messages,
    { role: 'assistant', content: written === undefined || written === '' ? '(empty)' : written },
    {
      role: 'user',
      content: `Your answer cannot be used. ${problem} Answer again, in the form that was asked for.`,
    },
  ];
}

/** For models without a mode for JSON and without tools: the form stands in the instructions. */
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
