import type { Json } from '@dramaturg/compiler';

/**
 * A transcript: the inputs and actions of an actor, on one readable page.
 *
 *     state: greeting                      what happened (a format describes its events in words)
 *     ? reply asks user_name               the input of a port call of the actor
 *     > reply: "What is your name?"        `>` is fed in: an answer of the port ...
 *     > user: "Ada"                        ... a line of the person ...
 *     > event: { "type": "cancel" }        ... or any event
 *     > extract fails: "no network"        ... or a failure of the port
 *
 * Lines that are empty or begin with `#` do not count.
 */
export type Step =
  | { readonly kind: 'expected'; readonly line: string }
  | { readonly kind: 'user'; readonly line: string; readonly text: string }
  | { readonly kind: 'event'; readonly line: string; readonly event: { readonly type: string } }
  | { readonly kind: 'answer'; readonly line: string; readonly port: string; readonly answer: Json }
  | {
      readonly kind: 'failure';
      readonly line: string;
      readonly port: string;
      readonly message: string;
    };

/** @throws SyntaxError with the number of a line that cannot be read */
export function parseTranscript(text: string): Step[] {
  return text.split(/\r?\n/).flatMap((written, index) => {
    const line = written.trim();
    if (line === '' || line.startsWith('#')) return [];
    if (!line.startsWith('>')) return [{ kind: 'expected', line }];
    const fed = /^> *(\w+)( fails)?: *(.+)$/.exec(line);
    if (!fed) throw new SyntaxError(`Line ${index + 1} is not a valid input line: ${line}`);
    const [, name = '', fails, value = ''] = fed;
    return [stepOf(line, name, fails !== undefined, valueOf(value, index))];
  });
}

function stepOf(line: string, name: string, fails: boolean, value: Json): Step {
  if (fails) return { kind: 'failure', line, port: name, message: toText(value) };
  if (name === 'user') return { kind: 'user', line, text: toText(value) };
  if (name === 'event') return { kind: 'event', line, event: value as { type: string } };
  return { kind: 'answer', line, port: name, answer: value };
}

function toText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function valueOf(text: string, index: number): Json {
  if (!/^["{[]/.test(text)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new SyntaxError(`Line ${index + 1} is not valid JSON: ${text}`, { cause });
  }
}

/** The lines that count. */
export function significantLines(text: string): string[] {
  return parseTranscript(text).map(({ line }) => line);
}
