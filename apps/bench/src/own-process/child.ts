import type { Answer, Prepare, Question, Sampler } from '../measure.ts';

/** Runs in a separate process and measures on request of its parent. */
let sampler: Sampler | undefined;

process.on('message', (question: Question) => {
  handle(question).then(
    (readings) => answer({ type: 'done', ...(readings ? { readings } : {}) }),
    (error: unknown) => {
      const { name, message, stack } = error as Error;
      // The parent recreates a PeerError from its message. Other errors are sent with their stack.
      answer({ type: 'failed', name, message: name === 'PeerError' ? message : String(stack) });
    },
  );
});

// The parent has disconnected, so unfinished work is useless.
process.on('disconnect', () => process.exit());

async function handle(question: Question) {
  switch (question.type) {
    case 'prepare': {
      const { prepare } = (await import(question.module)) as { prepare: Prepare };
      sampler = await prepare(question.settings as never, (step) =>
        answer({ type: 'progress', step }),
      );
      return undefined;
    }
    case 'sample':
      return sampler!.sample(question.what);
    case 'close':
      await sampler?.close?.();
      return undefined;
  }
}

function answer(what: Answer): void {
  process.send!(what);
}
