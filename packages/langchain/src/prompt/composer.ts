import { localTime } from '@dramaturg/compiler/text';
import type { PortCall, PortInput, PromptSection, SpokenLine } from '@dramaturg/compiler';
import type { Message } from '../model/message.ts';
import type { LangchainOptions } from '../options.ts';
import { disarmed, type Fence, fenceOf, stance } from './fence.ts';
import {
  asMessages,
  asTextLine,
  type Entry,
  linesBefore,
  linesToShow,
  withUnspoken,
} from './history.ts';

/** What a port asks of its model. */
interface Instructions {
  /** The form of every answer. */
  readonly form: string;
  /** What holds for this call. */
  readonly now: readonly string[];
}

/** The fields that the inputs of all model ports share. */
type ModelInput = PortInput<'think'>;

/**
 * Makes the messages for a model from the input of a port. What rarely changes comes first, then the conversation, which grows, then
 * what is new: so the beginning of a call is the same as that of the call before it, and its provider reads it from a cache.
 * Spec: docs/models.md#prompts
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
    const entries = await this.#conversation(input, call);
    const history = asMessages(entries, fence);
    const otherwise = history.length === 0 ? speaksFirst : goesOn;
    const conversation = [
      // Some providers reject a conversation that begins with the model.
      ...(history[0]?.role === 'assistant' ? [asUser(begins)] : []),
      ...history,
    ];
    return [
      system(input, form, fence),
      ...settled(conversation),
      ...(input.message === undefined ? [asUser(otherwise)] : []),
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
    const entries = await this.#conversation(input, call);
    const [opening, closing] = fence.marks('the conversation so far');
    const which =
      input.message === undefined
        ? 'There is no new message of the person.'
        : 'The last line of the person is new.';
    return [
      system(input, form, fence),
      ...settled([opening, ...entries.map(asTextLine)].map(asUser)),
      asUser(`${closing}\n\n${which}`),
      ...latest(input, call, now, fence),
    ];
  }

  /** What was said, the new message included, and what only models see. */
  async #conversation(input: ModelInput, call: PortCall): Promise<readonly Entry[]> {
    const { message, transcript, prompt } = input;
    const before = await this.#history(input, call);
    const lines =
      message === undefined ? before : [...before, { role: 'contact' as const, text: message }];
    return withUnspoken(lines, prompt, transcript.length);
  }

  async #history(
    { message, transcript: { length } }: ModelInput,
    { transcript }: PortCall,
  ): Promise<readonly SpokenLine[]> {
    if (transcript === undefined || this.#lines === 0) return [];
    const count = linesToShow(length, this.#lines);
    // The transcript contains the current message, too.
    return linesBefore(await transcript(count + 1), message).slice(-count);
  }
}

const begins = '(The conversation begins.)';
const speaksFirst = '(The person has said nothing yet. You speak first.)';
const goesOn = '(The person has said nothing new. You go on.)';

/** The last of these messages is where the next call goes on. */
function settled(messages: readonly Message[]): Message[] {
  return messages.map((message, index) =>
    index === messages.length - 1 ? { ...message, isSettled: true } : message,
  );
}

function asUser(content: string): Message {
  return { role: 'user', content };
}

function system({ prompt }: ModelInput, form: string, fence: Fence): Message {
  const sections = prompt.filter(({ constant }) => constant).map(textOf(fence));
  return { role: 'system', content: [stance, form, ...sections].join('\n\n'), isSettled: true };
}

/** What holds for this call. It comes last, which models follow best. */
function latest(
  { prompt }: ModelInput,
  { now, timeZone = 'UTC' }: PortCall,
  instructions: readonly string[],
  fence: Fence,
): Message[] {
  const sections = prompt.filter(({ constant, at }) => !constant && at === undefined);
  const time = now === undefined ? [] : [`It is ${localTime(now, timeZone)}.`];
  const parts = [...time, ...sections.map(textOf(fence)), ...instructions.map(disarmed)];
  return parts.length === 0 ? [] : [asUser(parts.join('\n\n'))];
}

/** The instructions of an author are disarmed too: a template may quote people in them. */
function textOf(fence: Fence) {
  return ({ title, text, data }: PromptSection) =>
    data ? fence(text, title) : `# ${disarmed(title)}\n${disarmed(text)}`;
}

/** Whether the constant part of a prompt has a text already, so that it need not be repeated in each call. */
export function isInConstantPart({ prompt }: Pick<ModelInput, 'prompt'>, text: string): boolean {
  return prompt.some((section) => section.constant && !section.data && section.text.includes(text));
}
