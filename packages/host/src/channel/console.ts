import { visible } from '@dramaturg/compiler/text';
import type { Channel } from './channel.ts';

/**
 * Creates a channel that writes messages as lines: `contact: text`.
 *
 * @example
 * ```ts
 * const lines: string[] = [];
 * const terminal = consoleChannel((line) => lines.push(line));
 * const host = await createHost({
 *   store: memoryStore(),
 *   definitions: { intake },
 *   ports: understudyPorts(),
 *   channels: { terminal },
 * });
 * await host.start('intake', { contact: 'ada', channel: 'terminal' });
 * await host.settle();
 * console.log(lines[0]?.startsWith('ada: ')); // → true
 * await host.stop();
 * ```
 */
export function consoleChannel(
  write: (line: string) => void = (line) => void process.stdout.write(line),
): Channel {
  return {
    deliver: ({ contact, text, role }) => {
      const label = role === 'manual' ? `${contact ?? 'you'} (by hand)` : (contact ?? 'you');
      // Further lines are indented, so that none looks like another message. Control characters are made visible.
      write(`${visible(label)}: ${text.split('\n').map(visible).join('\n  ')}\n`);
    },
  };
}
