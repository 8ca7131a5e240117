/** Globals for turns: `setImmediate` in Node and Bun, `MessageChannel` in browsers. */
interface Runtime {
  readonly performance: { now(): number };
  readonly setImmediate?: Later;
  readonly MessageChannel: new () => { readonly port1: ReceivingPort; readonly port2: SendingPort };
}

/** Does work in the next turn of the event loop. */
type Later = (work: () => void) => unknown;

interface ReceivingPort {
  readonly addEventListener: (type: 'message', listen: () => void, options: object) => void;
  readonly start: () => void;
  readonly close: () => void;
}

interface SendingPort {
  readonly postMessage: (message: null) => void;
}

const runtime = globalThis as unknown as Runtime;

/** How long the work that shares a turn of the event loop may take before the rest waits for the next turn, in milliseconds. */
const turnMs = 10;

/**
 * The turns of an event loop. All work of the process shares each of them. Owns the work that waits for a turn: it goes on in
 * order, and before later work.
 */
class Turns {
  readonly later: Later;
  readonly #delayed: (() => void)[] = [];
  #waiting = 0;
  /** When the present turn is long; undefined before its first work. */
  #longAt: number | undefined;

  constructor(later: Later) {
    this.later = later;
  }

  /** Whether work has to wait for a later turn: the present one is long, or other work waits already. */
  get isTaken(): boolean {
    return this.#waiting > 0 || this.#isLong;
  }

  get #isLong(): boolean {
    const now = runtime.performance.now();
    const longAt = this.#longAt ?? now + turnMs;
    if (this.#longAt === undefined) this.later(() => (this.#longAt = undefined));
    this.#longAt = longAt;
    return now >= longAt;
  }

  wait(resolve: () => void): void {
    this.#waiting += 1;
    const goOn = () => {
      this.#waiting -= 1;
      resolve();
    };
    this.later(() => {
      if (this.#delayed.length === 0 && !this.#isLong) return goOn();
      this.#delayed.push(goOn);
      this.later(this.#goOnDelayed);
    });
  }

  readonly #goOnDelayed = (): void => {
    if (this.#isLong) this.later(this.#goOnDelayed);
    else this.#delayed.shift()!();
  };
}

/** Browsers have no `setImmediate`, and their nested `setTimeout` waits at least four milliseconds. */
const afterMessage: Later = (work) => {
  const { port1, port2 } = new runtime.MessageChannel();
  const end = () => {
    port1.close();
    work();
  };
  port1.addEventListener('message', end, { once: true });
  port1.start();
  port2.postMessage(null);
};

let turns = new Turns(afterMessage);

/** A simulation replaces the function for a while. */
function presentTurns(): Turns {
  const later = runtime.setImmediate ?? afterMessage;
  if (turns.later !== later) turns = new Turns(later);
  return turns;
}

/**
 * Resolves in a later turn of the event loop, when all ready promises have been handled. That is the next turn, unless the work
 * before it takes long.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => presentTurns().wait(resolve));
}

/**
 * Whether work that can wait should wait for `nextTurn`: the present turn of the event loop has taken long, or earlier work waits.
 */
export function isTurnLong(): boolean {
  return presentTurns().isTaken;
}
