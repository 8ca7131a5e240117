import type { ChatFrame } from '../../../src/protocol.ts';

/** A stream that brings nothing for so long is broken: the channel sends a sign of life every 15 seconds. */
const silentMs = 45_000;

/**
 * The frames of a stream of server-sent events, of which only `data` is read.
 *
 * @throws TypeError when the connection breaks, or is silent
 */
export async function* readFrames(response: Response): AsyncGenerator<ChatFrame, void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let unread = '';
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read());
      if (done) return;
      unread += value;
      const events = unread.split('\n\n');
      unread = events.pop()!;
      for (const event of events)
        if (event.startsWith('data: ')) yield JSON.parse(event.slice(6)) as ChatFrame;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function withinSilence<Value>(reading: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TypeError('The stream is silent.')), silentMs);
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}
