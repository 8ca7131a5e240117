/** Globals for turns: `setImmediate` in Node and Bun, `MessageChannel` in browsers. */
interface Runtime {
  readonly performance: { now(): number };
  readonly setImmediate?: (work: () => void) => unknown;
  readonly MessageChannel: new () => { readonly port1: ReceivingPort; readonly port2: SendingPort };
}

interface ReceivingPort {
  readonly addEventListener: (type: 'message', listen: () => void, options: object) => void;
  readonly start: () => void;
  readonly close: () => void;
}

interface SendingPort {
  readonly postMessage: (message: null) => void;
}

const runtime = globalThis as unknown as Runtime;

/** Resolves in the next turn of the event loop, when all ready promises have been handled. */
export const nextTurn: () => Promise<void> =
  typeof runtime.setImmediate === 'function' ? afterImmediate : afterMessage;

function afterImmediate(): Promise<void> {
  return new Promise((resolve) => void runtime.setImmediate!(resolve));
}

/** Browsers have no `setImmediate`, and their nested `setTimeout` waits at least four milliseconds. */
function afterMessage(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new runtime.MessageChannel();
    const end = () => {
      port1.close();
      resolve();
    };
    port1.addEventListener('message', end, { once: true });
    port1.start();
    port2.postMessage(null);
  });
}

/** How long the work that shares a turn of the event loop may take before the rest should wait, in milliseconds. */
const turnMs = 10;

/** When the present turn of the event loop is long; undefined before its first question. */
let longAt: number | undefined;
/** The timers that end the present turn. Those of a test may be taken away before they do. */
let endedBy: Runtime['setImmediate'];

/** Whether the present turn of the event loop has taken so long that work which can wait should wait for `nextTurn`. */
export function isTurnLong(): boolean {
  const now = runtime.performance.now();
  if (longAt === undefined || endedBy !== runtime.setImmediate) {
    longAt = now + turnMs;
    endedBy = runtime.setImmediate;
    void nextTurn().then(() => (longAt = undefined));
  }
  return now >= longAt;
}
