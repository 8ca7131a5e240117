import type { PortCall, PortName, PortOutput } from './contract.ts';
import { PortError } from './errors.ts';

/** The most UTF-16 units of a message to a conversation, in every format. */
export const longestMessage = 100_000;

/** The most messages that wait in a conversation while it answers another one, in every format. */
export const longestInbox = 100;

/** Where thoughts of models begin and end, in lower case. */
const marks: readonly (readonly [begin: string, end: string])[] = [
  ...['think', 'thinking', 'thought', 'thoughts', 'reasoning', 'antthinking', 'seed:think'].map(
    (name) => [`<${name}>`, `</${name}>`] as const,
  ),
  ['[think]', '[/think]'],
  ['◁think▷', '◁/think▷'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  ['<|start_thinking|>', '<|end_thinking|>'],
  ['<|channel|>analysis<|message|>', '<|channel|>final<|message|>'],
];

/** The end of a thought that begins in the prompt: on a line of its own, or at the end of a line. */
const endOnly = /^[^]*<\/think(?:ing)?>[^\S\n]*(?:\n|$)/i;

/** Removes the thoughts from the beginning of a streamed text. */
export class ThoughtFilter {
  /** The undecided part: the end of a thought, or the possible beginning of a mark. */
  #held = '';
  /** The mark that ends the thought. */
  #end: string | undefined;
  #hasBegun = false;

  /** @returns the part of the text that can be shown now */
  hear(part: string): string {
    if (this.#hasBegun) return part;
    this.#held += part;
    for (;;) {
      const small = this.#held.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
      if (this.#end !== undefined) {
        const at = small.indexOf(this.#end);
        if (at < 0) {
          this.#held = this.#held.slice(-this.#end.length);
          return '';
        }
        this.#held = this.#held.slice(at + this.#end.length);
        this.#end = undefined;
        continue;
      }
      const start = small.trimStart();
      const mark = marks.find(([begin]) => start.startsWith(begin));
      if (mark === undefined) {
        if (marks.some(([begin]) => begin.startsWith(start))) return '';
        this.#hasBegun = true;
        return this.#held;
      }
      this.#held = this.#held.slice(small.length - start.length + mark[0].length);
      this.#end = mark[1];
    }
  }

  /** @returns the rest of the text, after the last part; nothing if a thought is not closed */
  end(): string {
    return this.#hasBegun || this.#end !== undefined ? '' : this.#held;
  }
}

/** The text without the thoughts at its beginning. */
export function withoutThoughts(text: string): string {
  const filter = new ThoughtFilter();
  const rest = filter.hear(text) + filter.end();
  const said = rest.replace(endOnly, '');
  return said === text ? text : said.trim();
}

const cutOff = new Set(
  'length max_tokens max_output_tokens model_length model_context_window_exceeded incomplete'.split(
    ' ',
  ),
);
const filtered = new Set(
  'content_filter content_filtered guardrail_intervened safety recitation blocklist prohibited_content spii'.split(
    ' ',
  ),
);

/** Why a model stopped early, from the finish reason of its provider; undefined when the answer is complete. */
export function cutOffBy(reason: unknown): 'length' | 'filter' | undefined {
  const word = typeof reason === 'string' ? reason.toLowerCase().replaceAll('-', '_') : '';
  return cutOff.has(word) ? 'length' : filtered.has(word) ? 'filter' : undefined;
}

/** Returns the call with thoughts removed from the text that its port passes on. */
export function withoutStreamedThoughts(call: PortCall): PortCall {
  const thoughts = new ThoughtFilter();
  const { maxTokens, transcript, readAttachment, heartbeat, traceparent, instance, now, timeZone } =
    call;
  return {
    // The signal is created when it is read.
    get signal() {
      return call.signal;
    },
    onText: (part) => {
      const said = thoughts.hear(part);
      if (said !== '') call.onText(said);
    },
    maxTokens,
    transcript,
    readAttachment,
    heartbeat,
    traceparent,
    instance,
    now,
    timeZone,
  };
}

/**
 * Returns the answer without thoughts. A truncated text is a failed call.
 *
 * @param isAwaited a person waits for the answer: saying nothing is a failed call, too
 */
export function wholeAnswer<Answer extends PortOutput<'reply'>>(
  port: PortName,
  answer: Answer,
  isAwaited: boolean,
): Answer {
  const { text, toolCalls = [], finishReason, usage } = answer as Answer & { usage?: never };
  const failed = (because: string, code: 'port/failed' | 'port/bad-output' = 'port/failed') =>
    new PortError(code, port, `The port "${port}" gave no whole answer: ${because}`, { usage });
  if (isAwaited && text.trim() === '' && toolCalls.length === 0)
    throw failed('its text is empty, and a person waits.');
  if (cutOffBy(finishReason) !== undefined) throw failed(`it was cut off (${finishReason}).`);
  const said = withoutThoughts(text);
  if (said === text && text.length <= longestMessage) return answer;
  if (said === '' && toolCalls.length === 0) throw failed('it has thoughts and nothing else.');
  if (said.length > longestMessage)
    throw failed(
      `it has ${said.length} characters; a message may have ${longestMessage}.`,
      'port/bad-output',
    );
  return { ...answer, text: said };
}
