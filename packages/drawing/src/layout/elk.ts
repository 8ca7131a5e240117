import { DramaturgError } from '@dramaturg/compiler';
import type { ELK, ELKConstructorArguments, ElkNode } from 'elkjs/lib/elk-api.js';

/**
 * Runs the layout engine. It is large and slow, so it is loaded for the first chart and runs in a worker. Where workers
 * are not possible (on a server, in a page opened from a file) it runs in this thread.
 */
export async function askElk(graph: ElkNode): Promise<ElkNode> {
  const { layOut, isWorker } = await (engine ??= start());
  try {
    return await layOut(graph);
  } catch (error) {
    if (!isWorker || !(error instanceof WorkerError)) throw error;
    // Loading the worker's script failed. That is known only now.
    engine = inThisThread();
    return (await engine).layOut(graph);
  }
}

interface Engine {
  readonly isWorker: boolean;
  readonly layOut: (graph: ElkNode) => Promise<ElkNode>;
}

/** The modules of elkjs at run time. Their CommonJS types differ. */
interface ElkModule {
  readonly default: new (options?: ELKConstructorArguments) => ELK;
}

class WorkerError extends DramaturgError<'layout/worker-failed'> {
  override readonly name = 'WorkerError';

  constructor(message: string) {
    super('layout/worker-failed', message);
  }
}

let engine: Promise<Engine> | undefined;

async function start(): Promise<Engine> {
  if (typeof Worker === 'undefined') return inThisThread();
  try {
    return await inWorker();
  } catch {
    // A page opened from a file cannot start a worker.
    return inThisThread();
  }
}

async function inWorker(): Promise<Engine> {
  const worker = new Worker(new URL('./elk-worker.js', import.meta.url), { type: 'module' });
  const failed = new Promise<never>((_, reject) => {
    worker.addEventListener('error', ({ message }) => reject(new WorkerError(message)));
  });
  failed.catch(() => {});
  const { default: Elk } = (await import('elkjs/lib/elk-api.js')) as unknown as ElkModule;
  const elk = new Elk({ workerFactory: () => worker });
  return { isWorker: true, layOut: (graph) => Promise.race([elk.layout(graph), failed]) };
}

async function inThisThread(): Promise<Engine> {
  const { default: Elk } = (await import('elkjs/lib/elk.bundled.js')) as unknown as ElkModule;
  const elk = new Elk();
  return { isWorker: false, layOut: (graph) => elk.layout(graph) };
}
