import type { PortCall, PortInput, PromptSection, SpokenLine } from '@dramaturg/compiler';
import type { Message } from '../model/model.ts';
import type { LangchainOptions } from '../options.ts';
import { disarmed, fenced, stance } from './fence.ts';
import { asMessages, asText, linesBefore } from './history.ts';

type Asked = PortInput<'think'>;

/** Puts what a chart asks into messages for a model. */
export class Composer {
  readonly #lines: number;

  constructor({ historyLines = 40 }: Pick<LangchainOptions, 'historyLines'>) {
    this.#lines = historyLines;
  }

  /** For a model that speaks in the conversation. */
  async speaking(
    input: Asked,
    call: PortCall,
    instructions: readonly string[],
  ): Promise<Message[]> {
    const lines = await this.#history(input, call);
    const history = asMessages(lines, input.key);
    return [
      system(input, instructions),
      // Some providers refuse a conversation that the model begins.
      ...(history[0]?.role === 'assistant' ? [{ role: 'user' as const, content: begins }] : []),
      ...history,
      { role: 'user', content: answered(input, history.length === 0 ? speaksFirst : goesOn) },
    ];
  }

  /** For a model that looks at the conversation from outside. */
  async judging(input: Asked, call: PortCall, instructions: readonly string[]): Promise<Message[]> {
    const lines = await this.#history(input, call);
    const parts = [
      ...(lines.length > 0 ? [`The conversation so far:\n${asText(lines, input.key)}`] : []),
      input.message === undefined
        ? 'There is no new message of the person.'
        : `The new message of the person:\n${fenced(input.message, 'the person', input.key)}`,
    ];
    return [system(input, instructions), { role: 'user', content: parts.join('\n\n') }];
  }

  async #history({ message }: Asked, { transcript }: PortCall): Promise<readonly SpokenLine[]> {
    if (transcript === undefined || this.#lines === 0) return [];
    // The message itself is among them.
    return linesBefore(await transcript(this.#lines + 1), message).slice(-this.#lines);
  }
}

const begins = '(The conversation begins.)';
const speaksFirst = '(The person has said nothing yet. You speak first.)';
const goesOn = '(The person has said nothing new. You go on.)';

function answered({ message, key }: Asked, otherwise: string): string {
  return message === undefined ? otherwise : fenced(message, 'the person', key);
}

function system({ prompt, key }: Asked, instructions: readonly string[]): Message {
  // What people say gets into the words of an author, too: by a template.
  const sections = prompt.map((section) => written(section, key));
  const parts = [stance, ...sections, ...instructions.map(disarmed)];
  return { role: 'system', content: parts.join('\n\n') };
}

function written({ title, text, data }: PromptSection, key: string): string {
  return `# ${disarmed(title)}\n${data ? fenced(text, title, key) : disarmed(text)}`;
}
