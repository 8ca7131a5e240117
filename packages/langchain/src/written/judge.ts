import { hash } from 'node:crypto';
import {
  isRecord,
  type JsonObject,
  type NextReply,
  type PortCall,
  type PortInput,
  type PromptSection,
  type ToolCall,
} from '@dramaturg/compiler';
import type { ClosedAnswer, ClosedAnswers, ClosedQuestion } from '../answer/closed-answers.ts';
import type { Asking } from '../model/asking.ts';
import { type Composer, isInConstantPart } from '../prompt/composer.ts';

/** A message that a model has written together with an answer, before the machine has decided. */
interface WrittenReply {
  readonly text: string;
  /** The value that the message asks for; undefined when it asks nothing. */
  readonly asks: string | undefined;
  /** The indexes of the case's directions that the message carries out. */
  readonly does: readonly number[];
  /** The case that it is written for. */
  readonly case: NextReply['cases'][number];
}

type Call = Pick<PortInput<'extract'>, 'transcript' | 'message' | 'prompt'>;

interface Kept extends WrittenReply {
  readonly turn: string;
  /** Hashes of the sections that the model has seen. */
  readonly seen: ReadonlySet<string>;
  /** Hashes of the sections that the reply's prompt must contain. */
  readonly wanted: readonly string[];
  readonly tools: ReadonlySet<string>;
}

/** Maximum number of messages that wait for their machine. The oldest are forgotten, and written again. */
const mostKept = 1_000;

/**
 * Messages that were written together with an answer, by conversation, until the machine asks for its reply in the same turn. They are
 * in memory only: after a restart, the model is asked for the reply as usual.
 */
export class ReplyStore {
  readonly #kept = new Map<string, Kept>();

  /** Forgets the message of an earlier attempt: a repeated question may have another answer. */
  forget({ transcript }: Pick<Call, 'transcript'>, { instance }: PortCall): void {
    this.#kept.delete(placeOf({ transcript }, instance));
  }

  /** @param input the input of the call that also wrote the message */
  keep(written: WrittenReply, input: Call, reply: NextReply, { instance }: PortCall): void {
    const place = placeOf(input, instance);
    const wanted = [...reply.prompt, ...written.case.prompt].map(hashOf);
    const seen = new Set([...wanted, ...input.prompt.map(hashOf)]);
    const tools = new Set([...reply.tools.map(({ name }) => name), ...(reply.unneeded ?? [])]);
    this.#kept.set(place, { ...written, turn: turnOf(input), seen, wanted, tools });
    if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value!);
  }

  /** Takes the message for a reply, if it was written for exactly this reply. It is returned only once. */
  take(
    input: PortInput<'reply'>,
    { instance }: PortCall,
  ): { readonly text: string; readonly toolCalls: ToolCall[] } | undefined {
    const place = placeOf(input, instance);
    const kept = this.#kept.get(place);
    if (kept === undefined) return undefined;
    this.#kept.delete(place);
    if (!fits(kept, input)) return undefined;
    const toolCalls = kept.does.flatMap((index) => input.directions[index]?.done ?? []);
    return { text: kept.text, toolCalls };
  }
}

function fits(kept: Kept, input: PortInput<'reply'>): boolean {
  const { asks, directions, prompt, tools } = input;
  const sections = prompt.filter(({ progress }) => !progress).map(hashOf);
  const given = new Set(sections);
  return (
    kept.turn === turnOf(input) &&
    sections.every((section) => kept.seen.has(section)) &&
    kept.wanted.every((section) => given.has(section)) &&
    JSON.stringify(directions) === JSON.stringify(kept.case.directions) &&
    tools.every(({ name }) => kept.tools.has(name)) &&
    asksTheSame(kept, asks[0])
  );
}

function asksTheSame(kept: Kept, ask: PortInput<'reply'>['asks'][number] | undefined): boolean {
  if (kept.asks !== ask?.name) return false;
  if (ask === undefined) return true;
  const told = kept.case.asks.find(({ name }) => name === ask.name);
  return (
    told !== undefined &&
    told.question === ask.question &&
    JSON.stringify(told.unconfirmed) === JSON.stringify(ask.unconfirmed)
  );
}

function placeOf({ transcript }: Pick<Call, 'transcript'>, instance: string | undefined): string {
  return JSON.stringify([instance ?? null, transcript.conversation]);
}

function turnOf({ transcript, message }: Omit<Call, 'prompt'>): string {
  return hash('sha256', JSON.stringify([transcript.length, message ?? null]));
}

function hashOf({ title, text, data = false, at }: PromptSection): string {
  return hash('sha256', JSON.stringify([title, text, data, at ?? null]));
}

type Input = PortInput<'think'> & { readonly reply?: NextReply | undefined };

interface Judgement<Answer> extends Omit<ClosedQuestion<Answer>, 'messages'> {
  readonly form: string;
  readonly now: readonly string[];
  /** The only case in which the message may be used. When absent, the model names the case. */
  readonly caseOf?: (answer: Answer) => string;
}

/** Asks for a closed answer about a conversation and, if it may, for the next message in the same request. */
export class Judge {
  readonly answers: ClosedAnswers;
  readonly #composer: Composer;
  readonly #replies: ReplyStore | undefined;

  /** @param replies keeps messages; without it, models are asked for answers only */
  constructor(answers: ClosedAnswers, composer: Composer, replies: ReplyStore | undefined) {
    this.answers = answers;
    this.#composer = composer;
    this.#replies = replies;
  }

  async ask<Answer>(
    input: Input,
    asking: Asking,
    { form, now, caseOf, ...question }: Judgement<Answer>,
  ): Promise<ClosedAnswer<Answer>> {
    const { reply } = input;
    const { tools } = question;
    this.#replies?.forget(input, asking.call);
    // Only the answer is asked for if tools are offered, because the model is then asked again, or if tokens are limited, because
    // a message could leave too few for the data.
    const isAlone = reply === undefined || tools.length > 0 || asking.call.maxTokens !== undefined;
    if (this.#replies === undefined || isAlone) {
      const messages = await this.#composer.judging(input, asking.call, { form, now });
      return this.answers.ask({ ...question, messages }, asking);
    }
    const prompt = promptWith(input.prompt, reply);
    const messages = await this.#composer.judging({ ...input, prompt }, asking.call, {
      form: `${form}\n${caseOf ? messageFormOfChoice : messageForm}`,
      now: [...now, messageInstructions(reply, prompt)],
    });
    const result = await this.answers.ask(
      {
        ...question,
        messages,
        schema: withReply(question.schema, caseOf !== undefined),
        strict: false,
        read: readBoth,
      },
      asking,
    );
    if ('toolCalls' in result) return result;
    if ('problem' in result) return { ...result, value: dataIn(result.value) };
    const { answer, written } = result.answer;
    if (written && (caseOf === undefined || caseOf(answer) === written.case.id))
      this.#replies.keep(written, input, reply, asking.call);
    return { answer };

    /** The message is optional: the model is not asked again for a better one. */
    function readBoth(value: unknown) {
      const read = question.read(dataIn(value));
      return 'problem' in read
        ? read
        : { answer: { answer: read.answer, written: replyIn(value, reply as NextReply) } };
    }
  }
}

/**
 * The schema of an answer that comes with a message. It is the same for all calls of a conversation, so that providers cache it.
 *
 * @param isChoice whether the cases are options, which ask and record nothing
 */
function withReply(schema: JsonObject, isChoice: boolean): JsonObject {
  const text = { type: 'string' };
  const does = { type: 'array', items: { type: 'integer' } };
  const reply = { case: text, ...(isChoice ? {} : { asks: text, does }), text };
  return closedObject({ data: schema, reply: closedObject(reply) });
}

function closedObject(properties: Readonly<Record<string, JsonObject>>): JsonObject {
  const required = Object.keys(properties);
  return { type: 'object', properties, required, additionalProperties: false };
}

/** The answer without its message. A model may forget the wrapping. */
function dataIn(value: unknown): unknown {
  return isRecord(value) && isRecord(value['data']) ? value['data'] : value;
}

/** The message of an answer; undefined when there is none for one of the cases. */
function replyIn(value: unknown, { cases }: NextReply): WrittenReply | undefined {
  const { case: id, asks, does, text } = recordIn(isRecord(value) ? value['reply'] : undefined);
  const found = cases.find((each) => each.id === id);
  if (found === undefined || typeof text !== 'string' || text.trim() === '') return undefined;
  const asked = typeof asks === 'string' && asks.trim() !== '' ? asks.trim() : undefined;
  const done = new Set(Array.isArray(does) ? does : []);
  return {
    text: text.trim(),
    asks: asked,
    does: found.directions.flatMap((_, index) => (done.has(index + 1) ? index : [])),
    case: found,
  };
}

function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

type Prompt = readonly PromptSection[];
type Case = NextReply['cases'][number];

/** The form of an answer that comes with a message. All of it is constant, so that providers cache it. */
const messageForm = [
  'Your data comes with the next message to the person. The cases at the end are the possible messages, and your data decides which it is: name the case, and follow its instructions.',
  'Ask for the first of its questions that your data does not answer, and name it in "asks". List in "does" the numbers of the tasks that the message carries out.',
  'If you are not certain of the case, leave the text empty.',
].join('\n');

/** `messageForm` for a choice: the options that come with a message are the cases. */
const messageFormOfChoice =
  'Your choice comes with the next message to the person, if it is one of the cases at the end: name the case, and follow its instructions. Otherwise leave the text empty.';

/**
 * The instructions for the message that a model writes with its answer. Sections that quote people are in `promptWith`.
 *
 * @param prompt the other sections that the model gets
 */
function messageInstructions({ prompt: shared, tools, cases }: NextReply, prompt: Prompt): string {
  const known = new Set(prompt.map(keyOf));
  const seen = new Set<string>();
  /** A text of several cases is repeated by its title only. */
  const textOf = (section: PromptSection) => {
    const isSeen = seen.has(keyOf(section));
    seen.add(keyOf(section));
    return isSeen ? `${section.title}: as above.` : `${section.title}: ${section.text}`;
  };
  const textsOf = (sections: Prompt) =>
    sections
      .filter((section) => !section.constant && !section.data && !known.has(keyOf(section)))
      .map(textOf);
  const isConstant = (text: string) => isInConstantPart({ prompt: [...prompt] }, text);
  /** Leaves out a question that is already in the outline of the plan. */
  const questionOf = ({ name, question, unconfirmed }: Case['asks'][number]) => {
    const text = isConstant(name) && isConstant(question) ? '' : ` (${question})`;
    const confirming = unconfirmed === undefined ? '' : ' (said already: ask to confirm it)';
    return `${name}${text}${confirming}`;
  };
  const caseText = ({ id, prompt: ofCase, asks, directions }: Case) => [
    `## Case ${JSON.stringify(id)}`,
    ...textsOf(ofCase.filter(({ text }) => !isConstant(text))),
    ...directions.flatMap(({ text, done }, index) =>
      done === undefined && isConstant(text) ? [] : [`${index + 1}. ${text}`],
    ),
    ...(asks.length === 0 ? [] : [`Questions: ${asks.map(questionOf).join(', ')}`]),
  ];
  return [
    '# The message',
    ...textsOf(shared),
    ...cases.flatMap(caseText),
    ...(tools.length === 0
      ? []
      : [
          'Leave the text empty, too, if the person wants what only these can do:',
          ...tools.map(({ name, description }) => `- ${name}: ${description}`),
        ]),
  ].join('\n');
}

/** The prompt of a call for answer and message. It adds the sections of the replies that are constant or quote people. */
function promptWith(prompt: Prompt, { prompt: shared, cases }: NextReply): PromptSection[] {
  const quoted = [...shared, ...cases.flatMap((each) => each.prompt)].filter(
    ({ constant, data }) => constant || data,
  );
  const all = new Map(prompt.map((section) => [keyOf(section), section]));
  for (const section of quoted) if (!all.has(keyOf(section))) all.set(keyOf(section), section);
  return [...all.values()];
}

function keyOf({ title, text }: PromptSection): string {
  return JSON.stringify([title, text]);
}
