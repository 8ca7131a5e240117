import { type Ports, understudyPorts } from 'dramaturg';

/** Speaks in parts: the first words of each reply, and the others when the test releases it. */
export function heldSpeech(words: number): {
  readonly ports: Partial<Ports>;
  /** Lets the oldest reply that is held go on, or the next one. */
  readonly release: () => void;
} {
  const ports = understudyPorts();
  let permits!: ReadableStreamDefaultController<void>;
  const permit = new ReadableStream<void>({
    start: (stream) => void (permits = stream),
  }).getReader();
  const release = () => permits.enqueue();
  return {
    release,
    ports: {
      ...ports,
      reply: async (input, call) => {
        const reply = await ports.reply(input, { ...call, onText: () => {} });
        for (const [index, word] of (reply.text ?? '').split(/(?<= )/).entries()) {
          if (index === words) await permit.read();
          call.onText(word);
        }
        return reply;
      },
    },
  };
}
