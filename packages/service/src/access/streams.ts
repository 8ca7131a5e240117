import { AccessError } from './access-error.ts';
import type { Principal } from './principal.ts';

interface Opening {
  /** Streams with the same key are counted together. */
  readonly key: string;
  readonly streamsMax: number;
  /** Calls a listener when the stream has ended. */
  readonly onEnd: (listener: () => void) => void;
  /** Rejects when the principal may no longer read the stream. */
  readonly recheck: () => Promise<void>;
  /** Ends the stream. */
  readonly end: () => void;
}

/** Counts the open streams of each token, and ends those of revoked tokens. */
export class Streams {
  readonly #open = new Map<string, number>();
  readonly #recheckMs: number;

  constructor(recheckMs: number) {
    this.#recheckMs = recheckMs;
  }

  /** Counts a stream until it ends. @throws AccessError `access/too-many-streams` */
  open({ key, streamsMax, onEnd, recheck, end }: Opening): void {
    const count = this.#open.get(key) ?? 0;
    if (count >= streamsMax) throw tooMany(streamsMax);
    this.#open.set(key, count + 1);
    const timer = setInterval(() => void recheck().catch(end), this.#recheckMs).unref();
    onEnd(() => {
      clearInterval(timer);
      this.#release(key);
    });
  }

  #release(key: string): void {
    const count = this.#open.get(key)! - 1;
    if (count === 0) this.#open.delete(key);
    else this.#open.set(key, count);
  }
}

function tooMany(streamsMax: number): AccessError {
  return new AccessError(
    429,
    'access/too-many-streams',
    `This token has ${streamsMax} open streams, which is its limit.`,
    {
      hint: 'Close a stream, or follow all instances with one stream.',
      headers: { 'retry-after': '10' },
    },
  );
}

/** The key under which the requests and streams of a principal are counted. */
export function accountOf({ tenant, name }: Principal): string {
  return JSON.stringify([tenant ?? null, name]);
}
