import type { PortCall, Ports } from '@dramaturg/compiler';
import { agentToolNames, rememberNothing } from '@dramaturg/host/browser';

export interface UnderstudyOptions {
  /** Milliseconds between the words of a reply. */
  readonly wordDelay?: number;
}

/**
 * Replaces a model behind the ports, so that a conversation runs offline and without a key: it asks for missing values,
 * reads answers by their declared type and picks options by evidence in the text.
 *
 * It is not a language model and owns no state: equal inputs and transcripts give equal outputs. Everything it knows about
 * earlier messages comes from the call's transcript. Its code is loaded with the first call.
 *
 * @example
 * ```ts
 * const actor = createActor(providePorts(intake.machine!, understudyPorts()));
 * actor.on('message.sent', ({ text: said }) => console.log(said.includes('name'))); // → true
 * actor.start();
 * await waitFor(actor, (snapshot) => snapshot.hasTag('waiting'));
 * ```
 */
export function understudyPorts({ wordDelay = 0 }: UnderstudyOptions = {}): Pick<
  Ports,
  'reply' | 'choose' | 'extract' | 'think' | 'validate' | 'recall' | 'remember'
> {
  return {
    async reply(input, call) {
      // Lifecycle tools do not count as remaining work, so a conversation with them can end.
      const tools = input.tools.filter(({ name }) => !agentToolNames.has(name));
      const { reply } = await import('./reply.ts');
      const output = await reply({ ...input, tools }, call);
      await streamWords(output.text, wordDelay, call);
      return output;
    },
    choose: async (input) => (await import('./choose.ts')).choose(input),
    extract: async (input, call) => (await import('./extract.ts')).extract(input, call),
    think({ prompt: [first] }) {
      const about = first === undefined ? '' : ` about "${first.title}"`;
      return { text: `The understudy is not a language model and has no thoughts${about}.` };
    },
    validate: () => ({ ok: true }),
    recall: () => ({ memories: [] }),
    remember: rememberNothing,
  };
}

/** Streams a text word by word, with a pause before each but the first. Rejects when the call is aborted. */
async function streamWords(
  text: string,
  wordDelay: number,
  { signal, onText }: PortCall,
): Promise<void> {
  const words = text.match(/\S+\s*/gu) ?? [];
  for (const [index, word] of words.entries()) {
    if (index > 0 && wordDelay > 0) await pause(wordDelay, signal);
    signal.throwIfAborted();
    onText(word);
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    // An abort only ends the pause; the caller checks the signal.
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
