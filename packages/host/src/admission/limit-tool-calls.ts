import type { Port, PortInput } from '@dramaturg/compiler';

type Concurrency = NonNullable<PortInput<'callTool'>['concurrency']>;

/**
 * Limits how many calls of a tool run at the same time, for calls with a `Concurrency`. All runs that use the port share the
 * limit. A host does this itself.
 *
 * @example
 * ```ts
 * const callTool = limitToolCalls(callToolPort({ tools: { stock: { run: () => 7 } } }));
 * const ports = { callTool, runAgent: clerk };
 * console.log(
 *   (await toPromise(createActor(providePorts(stocktaking.machine!, ports)).start())).output,
 * ); // → { stock: 7 }
 * ```
 */
export function limitToolCalls(callTool: Port<'callTool'>): Port<'callTool'> {
  const tools = new Map<string, CallsOfTool>();
  return async (input, call) => {
    const { tool, concurrency } = input;
    const calls = tools.get(tool) ?? new CallsOfTool(tool);
    tools.set(tool, calls);
    try {
      await calls.begin(concurrency, call.signal);
      try {
        return await callTool(input, call);
      } finally {
        calls.end();
      }
    } finally {
      if (calls.isIdle) tools.delete(tool);
    }
  };
}

interface WaitingCall {
  readonly most: number;
  readonly begin: () => void;
}

/** The calls of a tool: running, or waiting in the order in which they came. */
class CallsOfTool {
  readonly #tool: string;
  #running = 0;
  readonly #waiting: WaitingCall[] = [];

  constructor(tool: string) {
    this.#tool = tool;
  }

  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting.length === 0;
  }

  /** @throws Error `RateLimitExceeded` when the limit is reached and the call does not wait; the reason of the signal when it aborts */
  async begin(limit: Concurrency | undefined, signal: AbortSignal): Promise<void> {
    const isFree = !limit || (this.#running < limit.most && this.#waiting.length === 0);
    if (!isFree && !limit.waits) throw overLimit(this.#tool, limit.most);
    if (!isFree) return this.#wait(limit.most, signal);
    this.#running += 1;
  }

  end(): void {
    this.#running -= 1;
    while (this.#waiting[0] && this.#running < this.#waiting[0].most) {
      this.#running += 1;
      this.#waiting.shift()!.begin();
    }
  }

  #wait(most: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        const index = this.#waiting.indexOf(waiting);
        if (index < 0) return;
        this.#waiting.splice(index, 1);
        reject(signal.reason as Error);
      };
      const waiting: WaitingCall = {
        most,
        begin: () => {
          signal.removeEventListener('abort', abort);
          resolve();
        },
      };
      this.#waiting.push(waiting);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
    });
  }
}

function overLimit(tool: string, most: number): Error {
  const cause = `The tool "${tool}" is called ${most === 1 ? 'once' : `${most} times`} at the same time, which is its limit.`;
  return Object.assign(new Error(cause), { error: 'RateLimitExceeded', cause });
}
