import { isRecord, type PortError } from '@dramaturg/compiler';
import type { NodeMeta } from '@dramaturg/compiler/chart';
import { withoutSecrets } from '@dramaturg/compiler/secrets';
import type { InstanceCall } from './instance-calls.ts';
import type { RepeatedCall } from './state.ts';
import type { WorkingState } from './working-state.ts';

/** How often a failed call is retried, and after which delays. Spec: docs/formats/lifecycle.md#policies */
interface RepeatPolicy {
  readonly attempts: number;
  readonly delay_ms: number;
  readonly backoff_rate: number;
  readonly max_delay_ms: number;
}

/** The event of a failed call that is retried. */
export const attemptFailed = 'turn.attempt.failed';

/**
 * Whether a failure may be temporary: others would be the same the next time. The error of a tool or an agent is an answer,
 * unless it is marked as temporary.
 */
function mayPass({ port, code }: PortError): boolean {
  if (code === 'port/temporary') return true;
  return (
    !['callTool', 'runAgent'].includes(port) &&
    (code === 'port/failed' || code === 'port/timed-out')
  );
}

/**
 * Owns the failed calls of an instance that are retried, by the policy of its lifecycle. Their turn stays open, and the flow does
 * not notice the failures. States of a call: running; waiting for its next attempt.
 */
export class RepeatedCalls {
  readonly #working: WorkingState;
  readonly #policy: RepeatPolicy | undefined;
  readonly #random: () => number;

  /** @param meta of the chart of the lifecycle */
  constructor(working: WorkingState, meta: NodeMeta | undefined, random: () => number) {
    this.#working = working;
    this.#policy = policyIn(meta?.['model_failure']);
    this.#random = random;
  }

  /** When a call is retried; undefined for a call that does not wait for a retry. */
  waitsUntil(letter: string): number | undefined {
    return this.#working.state.repeated?.[letter]?.at ?? undefined;
  }

  /** Whether a failed call may be retried. */
  mayRepeat({ letter, source }: InstanceCall, error: PortError): boolean {
    if (!this.#policy || source === 'lifecycle' || !mayPass(error)) return false;
    return (this.#known[letter]?.attempt ?? 0) + 1 < this.#policy.attempts;
  }

  /** Lets a failed call wait for its next attempt. Within a step. */
  postpone({ letter, call }: InstanceCall, error: PortError): void {
    const { attempts, delay_ms, backoff_rate, max_delay_ms } = this.#policy!;
    const attempt = (this.#known[letter]?.attempt ?? 0) + 1;
    const delay = Math.min(delay_ms * backoff_rate ** (attempt - 1), max_delay_ms);
    // Jitter: conversations that have failed together are not all retried at the same time.
    const at = Math.round(this.#working.step.at + delay * (0.5 + this.#random()));
    const cause = withoutSecrets(error.message);
    this.#set(letter, { attempt, at, error: error.code, cause });
    const { port, key } = call;
    const event = { type: attemptFailed, port, key, attempt, attempts, because: cause };
    this.#working.emit('host', { ...event, retry_at: at });
  }

  /** Retries a call when its time has come. */
  repeat(letter: string): void {
    const known = this.#known[letter];
    if (known) this.#set(letter, { ...known, at: null });
  }

  /** Retries all calls immediately, with new attempt counts, because the contact has written. */
  hasten(): void {
    for (const [letter, known] of Object.entries(this.#known))
      if (known.at !== null) this.#set(letter, { ...known, attempt: 0, at: null });
  }

  /** Forgets calls that are not open any more. */
  keepOnly(isOpen: (letter: string) => boolean): void {
    const gone = Object.keys(this.#known).filter((letter) => !isOpen(letter));
    if (gone.length === 0) return;
    const rest = Object.entries(this.#known).filter(([letter]) => !gone.includes(letter));
    this.#working.patch({ repeated: Object.fromEntries(rest) });
  }

  get #known(): Readonly<Record<string, RepeatedCall>> {
    return this.#working.state.repeated ?? {};
  }

  #set(letter: string, call: RepeatedCall): void {
    this.#working.patch({ repeated: { ...this.#known, [letter]: call } });
  }
}

/** The policy in a chart. A chart is data: an invalid policy is ignored. */
function policyIn(given: unknown): RepeatPolicy | undefined {
  if (!isRecord(given)) return undefined;
  const fields = ['attempts', 'delay_ms', 'backoff_rate', 'max_delay_ms'];
  const isWhole = fields.every((name) => Number.isFinite(given[name]) && Number(given[name]) >= 1);
  return isWhole ? (given as unknown as RepeatPolicy) : undefined;
}
