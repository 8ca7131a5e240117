import type { Asking } from '../model/asking.ts';
import type { Completion } from '../model/completion.ts';
import type { Message } from '../model/chat-model.ts';
import type { Model } from '../model/model.ts';
import { callsInText, instructed, isUnsupported, lacksTools } from './closed-answers.ts';
import type { OfferedTools } from './tool-calls.ts';

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
        const { signal, maxTokens } = call;
        const watched = { ...asking, call: { signal, maxTokens, onText } };
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
