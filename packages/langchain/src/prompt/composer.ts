import { localTime } from '@dramaturg/compiler/text';
import type { PortCall, PortInput, PromptSection, SpokenLine } from '@dramaturg/compiler';
import type { Message } from '../model/message.ts';
import type { LangchainOptions } from '../options.ts';
import { disarmed, type Fence, fenceOf, stance } from './fence.ts';
import {
  asMessages,
  asTextLine,
  linesInOrder,
  linesToShow,
  newLines,
  withUnspoken,
} from './history.ts';

/** The instructions of a port for its model. */
interface Instructions {
  /** The form of every answer. */
  readonly form: string;
  /** Instructions for this call only. */
  readonly now: readonly string[];
}

/** The fields that the inputs of all model ports share. */
type ModelInput = PortInput<'think'>;

/**
 * Makes the messages for a model from the input of a port. The constant part comes first, then the growing conversation, then the
 * new part. So each call begins like the call before it, and the provider can use its cache. Spec: docs/models.md#prompts
 */
export class Composer {
  readonly #lines: number;

  constructor({ historyLines = 100 }: Pick<LangchainOptions, 'historyLines'>) {
    this.#lines = historyLines;
  }

  /** Messages for a model that speaks in the conversation. */
  async speaking(
    input: ModelInput,
    call: PortCall,
    { form, now }: Instructions,
  ): Promise<Message[]> {
    const fence = fenceOf(input.transcript.conversation);
    const lines = await this.#history(input, call);
    const history = asMessages(withUnspoken(lines, input.prompt, input.transcript.length), fence);
    const otherwise = history.length === 0 ? speaksFirst : goesOn;
    const isAnswering = lines.some(({ isNew }) => isNew);
    const place = lines.at(-1)?.isNew
      ? []
      : [asUser(isAnswering ? `(${newLines(lines)})` : otherwise)];
    const conversation = [
      // Some providers reject a conversation that begins with the model.
      ...(history[0]?.role === 'assistant' ? [asUser(begins)] : []),
      ...history,
    ];
    return [
      system(input, form, fence),
      ...settled(conversation),
      ...place,
      ...latest(input, call, now, fence),
    ];
  }

  /** Messages for a model that judges the conversation from outside. */
  async judging(
    input: ModelInput,
    call: PortCall,
    { form, now }: Instructions,
  ): Promise<Message[]> {
    const fence = fenceOf(input.transcript.conversation);
    const lines = await this.#history(input, call);
    const entries = withUnspoken(lines, input.prompt, input.transcript.length);
    const [opening, closing] = fence.marks('the conversation so far');
    return [
      system(input, form, fence),
      ...settled([opening, ...entries.map(asTextLine)].map(asUser)),
      asUser(`${closing}\n\n${newLines(lines)}`),
      ...latest(input, call, now, fence),
    ];
  }

  /** The conversation, including the new message. */
  async #history(input: ModelInput, { transcript }: PortCall): Promise<readonly SpokenLine[]> {
    const { length, from } = input.transcript;
    const most = this.#lines === 0 ? 0 : linesToShow(length, this.#lines);
    const count = from === undefined ? most : Math.min(most, length - from);
    // The transcript also contains the current message.
    const lines = transcript === undefined || count === 0 ? [] : await transcript(count + 1);
    const all = linesInOrder(lines, input);
    const isOfTurn = ({ isNew }: SpokenLine) => isNew !== undefined;
    return all.slice(Math.max(0, all.length - count - all.filter(isOfTurn).length));
  }
}

const begins = '(The conversation begins.)';
const speaksFirst = '(The person has said nothing yet. You speak first.)';
const goesOn = '(The person has said nothing new. You go on.)';

/** Marks the last message as settled: the next call continues after it. */
function settled(messages: readonly Message[]): Message[] {
  return messages.map((message, index) =>
    index === messages.length - 1 ? { ...message, isSettled: true } : message,
  );
}

function asUser(content: string): Message {
  return { role: 'user', content };
}

function system({ prompt, quoted }: ModelInput, form: string, fence: Fence): Message {
  const sections = prompt.filter(({ constant }) => constant).map(textOf(fence, quoted));
  return { role: 'system', content: [stance, form, ...sections].join('\n\n'), isSettled: true };
}

const earlyMessage =
  'The person wrote this before they saw your last question, so it does not answer it. What it says by itself counts; a bare yes, no, number or option does not.';

/** The instructions for this call. They come last, because models follow the last ones best. */
function latest(
  { prompt, early, quoted }: ModelInput,
  { now, timeZone = 'UTC' }: PortCall,
  instructions: readonly string[],
  fence: Fence,
): Message[] {
  const sections = prompt.filter(({ constant, at }) => !constant && at === undefined);
  const time = now === undefined ? [] : [`It is ${localTime(now, timeZone)}.`];
  const parts = [
    ...time,
    ...sections.map(textOf(fence, quoted)),
    ...instructions.map((text) => marked(text, fence, quoted)),
    ...(early ? [earlyMessage] : []),
  ];
  return parts.length === 0 ? [] : [asUser(parts.join('\n\n'))];
}

/** Disarms the author's instructions too, because a template may quote people in them. */
function textOf(fence: Fence, quoted?: readonly string[]) {
  return ({ title, text, data }: PromptSection) =>
    data ? fence(text, title) : `# ${disarmed(title)}\n${marked(text, fence, quoted)}`;
}

/** Puts marks around quotes of people in instructions. */
function marked(text: string, fence: Fence, quoted: readonly string[] = []): string {
  const [opening, closing] = fence.marks();
  const parts = quoted.map(disarmed).toSorted((one, other) => other.length - one.length);
  if (parts.length === 0) return disarmed(text);
  const pattern = new RegExp(
    parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)).join('|'),
    'gu',
  );
  return disarmed(text).replace(pattern, (part) => `${opening}${part}${closing}`);
}

/** Whether the constant part of a prompt already has a text, so that calls do not repeat it. */
export function isInConstantPart({ prompt }: Pick<ModelInput, 'prompt'>, text: string): boolean {
  return prompt.some((section) => section.constant && !section.data && section.text.includes(text));
}
