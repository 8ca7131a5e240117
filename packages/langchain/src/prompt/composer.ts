import type { PortCall, PortInput, PromptSection, SpokenLine } from '@dramaturg/compiler';
import type { Message } from '../model/model.ts';
import type { LangchainOptions } from '../options.ts';
import { disarmed, fenced, stance } from './fence.ts';
import { asMessages, asText, linesBefore } from './history.ts';

/** The fields that the inputs of all model ports share. */
type ModelInput = PortInput<'think'>;

/** Makes the messages for a model from the input of a port. */
export class Composer {
  readonly #lines: number;

  constructor({ historyLines = 40 }: Pick<LangchainOptions, 'historyLines'>) {
    this.#lines = historyLines;
  }

  /** Messages for a model that speaks in the conversation. */
  async speaking(
    input: ModelInput,
    call: PortCall,
    instructions: readonly string[],
  ): Promise<Message[]> {
    const lines = await this.#history(input, call);
    const history = asMessages(lines, input.key);
    return [
      system(input, instructions),
      // Some providers reject a conversation that begins with the model.
      ...(history[0]?.role === 'assistant' ? [{ role: 'user' as const, content: begins }] : []),
      ...history,
      { role: 'user', content: lastMessage(input, history.length === 0 ? speaksFirst : goesOn) },
    ];
  }

  /** Messages for a model that judges the conversation from outside. */
  async judging(
    input: ModelInput,
    call: PortCall,
    instructions: readonly string[],
  ): Promise<Message[]> {
    const lines = await this.#history(input, call);
    const parts = [
      ...(lines.length > 0 ? [`The conversation so far:\n${asText(lines, input.key)}`] : []),
      input.message === undefined
        ? 'There is no new message of the person.'
        : `The new message of the person:\n${fenced(input.message, 'the person', input.key)}`,
    ];
    return [system(input, instructions), { role: 'user', content: parts.join('\n\n') }];
  }

  async #history(
    { message }: ModelInput,
    { transcript }: PortCall,
  ): Promise<readonly SpokenLine[]> {
    if (transcript === undefined || this.#lines === 0) return [];
    // The transcript contains the current message, too.
    return linesBefore(await transcript(this.#lines + 1), message).slice(-this.#lines);
  }
}

const begins = '(The conversation begins.)';
const speaksFirst = '(The person has said nothing yet. You speak first.)';
const goesOn = '(The person has said nothing new. You go on.)';

function lastMessage({ message, key }: ModelInput, otherwise: string): string {
  return message === undefined ? otherwise : fenced(message, 'the person', key);
}

function system({ prompt, key }: ModelInput, instructions: readonly string[]): Message {
  // The instructions of an author are disarmed too: a template may quote people in them.
  const sections = prompt.map((section) => sectionText(section, key));
  const parts = [stance, ...sections, ...instructions.map(disarmed)];
  return { role: 'system', content: parts.join('\n\n') };
}

function sectionText({ title, text, data }: PromptSection, key: string): string {
  return `# ${disarmed(title)}\n${data ? fenced(text, title, key) : disarmed(text)}`;
}
