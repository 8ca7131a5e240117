import type { Asking } from '../model/asking.ts';
import type { Message, Model } from '../model/model.ts';
import type { Said } from '../model/said.ts';
import { callsInText, instructed } from './in-words.ts';
import type { OfferedTools } from './tool-calls.ts';
import { isUnsupported, lacksTools } from './ways.ts';

/** Asks for the words of a port, with tools on offer. Where the model or its server has none, they are called in words, too. */
export class ToolAsking {
  readonly #model: Model;
  /** The server has refused tools. */
  #isInWords = false;

  constructor(model: Model) {
    this.#model = model;
  }

  /** @param how `stream` lets the words be heard while they are made */
  async ask(
    how: 'ask' | 'stream',
    messages: readonly Message[],
    offered: OfferedTools,
    asking: Asking,
  ): Promise<Said> {
    if (offered.isEmpty) return this.#model[how](messages, asking);
    const { port, call } = asking;
    if (!this.#isInWords && !lacksTools(await this.#model.load(port))) {
      let hasSpoken = false;
      const onText = (text: string) => {
        hasSpoken = true;
        call.onText(text);
      };
      try {
        const { signal, maxTokens } = call;
        const heard = { ...asking, call: { signal, maxTokens, onText } };
        return await this.#model[how](messages, heard, { tools: offered.wire });
      } catch (error) {
        if (hasSpoken || !isUnsupported(error)) throw error;
        this.#isInWords = true;
      }
    }
    // It is heard as a whole: the calls are not for the person.
    const said = parted(await this.#model.ask(instructed(messages, formOf(offered)), asking));
    if (how === 'stream' && said.text !== '') call.onText(said.text);
    return said;
  }
}

function formOf({ wire }: OfferedTools): string {
  return [
    '# Tools',
    'To call tools, write this at the very end, in a line of its own: {"toolCalls": [{"name": "...", "arguments": {}}]}',
    `That line is taken out before anybody reads the rest. There are these tools:\n${JSON.stringify(wire)}`,
  ].join('\n');
}

/** The words, and the calls that stand behind them. */
function parted(said: Said): Said {
  const at = said.text.search(/(?:```(?:json)?\s*)?\{\s*"toolCalls"/);
  if (at < 0) return said;
  const text = said.text.slice(0, at).trim();
  return { ...said, text, toolCalls: callsInText(said.text.slice(at)) };
}
