import type { Asking } from '../model/asking.ts';
import type { Message, Model } from '../model/model.ts';
import type { Completion } from '../model/completion.ts';
import { callsInText, instructed } from './calls-in-text.ts';
import type { OfferedTools } from './tool-calls.ts';
import { isUnsupported, lacksTools } from './answer-mode.ts';

/** Asks for a text, with tools on offer. A model or server without tools writes its calls into the text. */
export class ToolAnswers {
  readonly #model: Model;
  /** The server has refused tools. */
  #isInWords = false;

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
    // Not streamed: the text may end with calls, which are not for the person.
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

/** Separates the text from the calls after it. */
function parted(said: Completion): Completion {
  const at = said.text.search(/(?:```(?:json)?\s*)?\{\s*"toolCalls"/);
  if (at < 0) return said;
  const text = said.text.slice(0, at).trim();
  return { ...said, text, toolCalls: callsInText(said.text.slice(at)) };
}
