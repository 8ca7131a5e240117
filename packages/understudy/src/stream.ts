import type { PortCall } from '@dramaturg/compiler';

/** Streams a text word by word, with a pause before each but the first. Rejects when the call is aborted. */
export async function streamWords(
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
