import { DramaturgError } from '@dramaturg/compiler';
import type { ELK, ELKConstructorArguments, ElkNode } from 'elkjs/lib/elk-api.js';

/**
 * The layout engine is large and slow, so that it is loaded when the first chart is drawn and works in a thread of its
 * own. Where there can be none (on a server, in a page that was opened from a file) it works in this one.
 */
export async function askElk(graph: ElkNode): Promise<ElkNode> {
  const { layOut, isWorker } = await (engine ??= start());
  try {
    return await layOut(graph);
  } catch (error) {
    if (!isWorker || !(error instanceof WorkerError)) throw error;
    // Its script could not be loaded, which is known only afterwards.
    engine = inThisThread();
    return (await engine).layOut(graph);
  }
}

interface Engine {
  readonly isWorker: boolean;
  readonly layOut: (graph: ElkNode) => Promise<ElkNode>;
}

/** What the modules of elkjs are at run time; as CommonJS they are declared otherwise. */
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
    // A page without a server may start none.
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
