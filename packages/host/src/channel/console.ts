import { visible } from '@dramaturg/compiler';
import type { Channel } from './channel.ts';

/** Writes messages as lines: `contact: text`. */
export function consoleChannel(
  write: (line: string) => void = (line) => void process.stdout.write(line),
): Channel {
  return {
    deliver: ({ contact, text, role }) => {
      const who = role === 'manual' ? `${contact ?? 'you'} (by hand)` : (contact ?? 'you');
      // No line of a message passes for one of somebody else's, and nothing in it moves the cursor.
      write(`${visible(who)}: ${text.split('\n').map(visible).join('\n  ')}\n`);
    },
  };
}
