import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Chart, Compiled } from '@dramaturg/compiler';
import { isTurnLong, nextTurn, runSliced } from '@dramaturg/compiler/machine';
import { type DefinitionFile, RequestError } from '@dramaturg/service/client';
import { check, compile } from '../compile.ts';
import { joined } from './json-parts.ts';

/** In characters. Compiling a longer text here would block the event loop for too long. */
const longestHere = 10_000;
/** The memory and the time for compiling one text. */
const [maxOldGenerationSizeMb, timeoutMs] = [512, 60_000];

let last: Promise<unknown> = Promise.resolve();

/**
 * Compiles a text from outside. Long ones are compiled in a thread, one after another.
 *
 * @throws RequestError `definition/too-large` when the thread runs out of memory or time
 */
export async function compileBeside(file: FileToCompile): Promise<CompiledFile> {
  if (isTurnLong()) await nextTurn();
  if (file.text.length <= longestHere) return compiledFile(file);
  const compiled = last.then(() => inThread(file));
  last = compiled.catch(() => {});
  const { chart, ...answer } = await compiled;
  if (!chart) return answer;
  await nextTurn();
  return { ...answer, chart: (await runSliced(joined(chart), nextTurn)) as Chart };
}

/** The answer of a thread. */
export type SentFile = Omit<CompiledFile, 'chart'> & { readonly chart?: readonly string[] };

async function inThread(workerData: FileToCompile): Promise<SentFile> {
  const url = new URL(`compile-thread${extname(import.meta.url)}`, import.meta.url);
  const thread = new Worker(url, { workerData, resourceLimits: { maxOldGenerationSizeMb } });
  thread.unref();
  try {
    const [answer] = await once(thread, 'message', { signal: AbortSignal.timeout(timeoutMs) });
    return answer as SentFile;
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

/** The parts of a compiled text that a service needs. They are plain data, so a thread can answer with them. */
type CompiledFile = Pick<Compiled, 'chart' | 'kind' | 'diagnostics'>;

/** A text to compile, or only to check. */
export type FileToCompile = Omit<DefinitionFile, 'name'> & { readonly checkOnly?: boolean };

export function compiledFile({ text, checkOnly, ...file }: FileToCompile): CompiledFile {
  const { fileName, format, options } = file;
  const { chart, kind, diagnostics } = (checkOnly ? check : compile)(text, {
    fileName,
    format,
    options,
  });
  return { ...(chart && { chart }), ...(kind && { kind }), diagnostics };
}
