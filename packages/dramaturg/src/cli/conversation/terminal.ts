import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Footer } from '../view/footer.ts';
import type { Person } from './person.ts';

export interface TerminalPerson extends Person {
  /** Asks for a line, which may be empty. @returns undefined when the person has left */
  readonly ask: (prompt: string) => Promise<string | undefined>;
}

/**
 * A person at a terminal. Lines typed while the agent speaks are kept and hidden, and shown at the next prompt.
 *
 * @param onLeave called when the person presses Ctrl+C or Ctrl+D
 */
export function personAtTerminal(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  onLeave: () => void,
): TerminalPerson {
  let asking: ((line: string | undefined) => void) | undefined;
  let hasLeft = false;
  const typedAhead: string[] = [];

  /** The prompt and what was typed stay below messages that arrive while the person is asked. */
  let footer: Footer | undefined;
  const screen = new Writable({
    write(chunk: Buffer, _encoding, written) {
      if (footer?.isShown) footer.write(chunk.toString());
      written();
    },
  });
  Object.defineProperty(screen, 'columns', { get: () => output.columns });
  const resized = () => screen.emit('resize');
  output.on('resize', resized);

  const lines = createInterface({ input, output: screen, terminal: true });
  const answer = (line: string | undefined) => {
    const take = asking;
    asking = undefined;
    footer?.end();
    footer = undefined;
    take?.(line);
  };
  lines.on('line', (line) => {
    if (asking) answer(line);
    else typedAhead.push(line);
  });
  lines.on('SIGINT', () => lines.close());
  lines.on('close', () => {
    if (hasLeft) return;
    hasLeft = true;
    if (asking) footer?.write('\n');
    output.off('resize', resized);
    answer(undefined);
    onLeave();
  });

  const ask = (prompt: string) =>
    new Promise<string | undefined>((resolve) => {
      if (hasLeft) return resolve(undefined);
      asking = resolve;
      const line = typedAhead.shift();
      if (line !== undefined) {
        output.write(`${prompt}${line}\n`);
        return answer(line);
      }
      lines.setPrompt(prompt);
      footer = new Footer(output, [process.stdout, process.stderr], {
        draw: () => lines.prompt(true),
        erase: (write) => {
          const { rows } = lines.getCursorPos();
          write(`${rows > 0 ? `\u001B[${rows}A` : ''}\r\u001B[J`);
        },
      });
      footer.draw();
    });
  return {
    ask,
    nextLine: async (prompt, { signal, blank = false } = {}) => {
      if (signal?.aborted) return undefined;
      const question = prompt();
      const giveUp = () => {
        footer?.write('\n');
        answer(undefined);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      try {
        for (;;) {
          const line = await ask(question);
          if (line === undefined || blank || line.trim() !== '') return line?.trimEnd();
        }
      } finally {
        signal?.removeEventListener('abort', giveUp);
      }
    },
    types: true,
    leave: () => {
      hasLeft = true;
      output.off('resize', resized);
      lines.close();
    },
  };
}
