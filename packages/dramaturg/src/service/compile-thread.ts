import { parentPort, workerData } from 'node:worker_threads';
import { compiledFile, type FileToCompile } from './compile-beside.ts';

/** A thread that compiles one text. */
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
parentPort?.postMessage(compiledFile(workerData as FileToCompile));
