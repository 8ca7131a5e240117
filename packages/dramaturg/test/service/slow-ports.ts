import { setTimeout as pause } from 'node:timers/promises';
import { type Ports, understudyPorts } from 'dramaturg';

/** Speaks in parts, slowly. */
export function slowPorts(ms: number): Partial<Ports> {
  const ports = understudyPorts();
  return {
    ...ports,
    reply: async (input, call) => {
      const reply = await ports.reply(input, { ...call, onText: () => {} });
      for (const word of (reply.text ?? '').split(/(?<= )/)) {
        call.onText(word);
        await pause(ms, undefined, { signal: call.signal });
      }
      return reply;
    },
  };
}
