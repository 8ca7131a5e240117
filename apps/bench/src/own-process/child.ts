import type { Answer, Prepare, Question, Sampler } from './protocol.ts';

/** Measures in a process of its own, as its parent asks. */
let sampler: Sampler | undefined;

process.on('message', (question: Question) => {
  handle(question).then(
    (readings) => answer({ type: 'done', ...(readings ? { readings } : {}) }),
    (error: unknown) => {
      const { name, message, stack } = error as Error;
      // Of an error that the parent knows by its name, it knows the rest as well.
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
      sampler = await prepare(question.settings as never, (doing) =>
        answer({ type: 'doing', doing }),
      );
      return undefined;
    }
    case 'sample':
      return sampler!.sample();
    case 'close':
      await sampler?.close?.();
      return undefined;
  }
}

function answer(what: Answer): void {
  process.send!(what);
}
