import { visible } from '@dramaturg/compiler';
import type { Channel } from './channel.ts';

/** Writes messages as lines: `contact: text`. */
export function consoleChannel(
  write: (line: string) => void = (line) => void process.stdout.write(line),
): Channel {
  return {
    deliver: ({ contact, text, role }) => {
      const who = role === 'manual' ? `${contact ?? 'you'} (by hand)` : (contact ?? 'you');
      // A line break or an escape in a message must not pass for a line of its own, nor move the cursor.
      write(`${visible(who)}: ${visible(text)}\n`);
    },
  };
}
