import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * Waits for the first word of a child process: its first output, or its first message when its output is not piped. Errors that it
 * prints to a pipe go on to those of this process.
 *
 * @throws Error with what the child has printed to standard error, when it ends without a word
 */
export async function firstWord(child: ChildProcess): Promise<string> {
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
    process.stderr.write(text);
  });
  const ended = once(child, 'close').then(([code, signal]) => {
    throw new Error(`The process has ended with ${signal ?? code} without a word. ${errors}`);
  });
  const spoken = child.stdout ? once(child.stdout, 'data') : once(child, 'message');
  const [word] = (await Promise.race([spoken, ended])) as [unknown];
  return String(word).trim();
}
