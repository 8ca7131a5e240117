import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { nextTurn } from '@dramaturg/compiler/machine';
import { RequestError } from '@dramaturg/service/client';
import { type CompiledFile, compiledFile, type FileToCompile } from './compiled-file.ts';

/** A longer text holds the event loop for too long, in characters. */
const longestHere = 10_000;
/** What compiling one text may take. */
const [maxOldGenerationSizeMb, timeoutMs] = [512, 60_000];

let last: Promise<unknown> = Promise.resolve();

/**
 * Compiles a text from outside. Long ones are compiled in a thread, one after another.
 *
 * @throws RequestError `definition/too-large` when the thread runs out of memory or time
 */
export async function compileBeside(file: FileToCompile): Promise<CompiledFile> {
  if (file.text.length <= longestHere) return compiledFile(file);
  const compiled = last.then(() => inThread(file));
  last = compiled.catch(() => {});
  const answer = await compiled;
  await nextTurn();
  return answer;
}

async function inThread(workerData: FileToCompile): Promise<CompiledFile> {
  const url = new URL(`compile-thread${extname(import.meta.url)}`, import.meta.url);
  const thread = new Worker(url, { workerData, resourceLimits: { maxOldGenerationSizeMb } });
  thread.unref();
  try {
    const [answer] = await once(thread, 'message', { signal: AbortSignal.timeout(timeoutMs) });
    return answer as CompiledFile;
  } catch (cause) {
    const { code = '' } = cause as { readonly code?: string };
    if (!['ABORT_ERR', 'ERR_WORKER_OUT_OF_MEMORY'].includes(code)) throw cause;
    throw new RequestError(
      'definition/too-large',
      'The definition takes too much time or memory to compile.',
      {
        hint: 'Split it into several definitions.',
        cause,
      },
    );
  } finally {
    void thread.terminate();
  }
}
