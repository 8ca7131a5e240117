import { parentPort, workerData } from 'node:worker_threads';
import { compiledFile, type FileToCompile, type SentFile } from './compile-beside.ts';
import { partsOf } from './json-parts.ts';

/** A thread that compiles one text. */
const { chart, ...rest } = compiledFile(workerData as FileToCompile);
const answer: SentFile = { ...rest, ...(chart && { chart: partsOf(chart) }) };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
parentPort?.postMessage(answer);
