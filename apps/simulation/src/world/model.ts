import { type PortCall, PortError } from '@dramaturg/compiler';
import { type HostOptions, memoryPorts } from '@dramaturg/host';
import type { Chance } from '@dramaturg/testing';
import type { SimulatedProcess } from '../machine/process.ts';
import type { StoredState } from '../oracle/stored-state.ts';
import type { Scheduler } from '../time/scheduler.ts';
import type { Trace } from '../trace.ts';

/** The present faults of the model and the agents, as shares of calls. */
export interface ModelTrouble {
  readonly failures: number;
  readonly silences: number;
  /** The longest time to an answer, in milliseconds. */
  readonly answerMs: number;
}

export const soundModel: ModelTrouble = { failures: 0, silences: 0, answerMs: 4_000 };

interface Call {
  readonly key: string;
  readonly message?: string;
  readonly options?: readonly { readonly id: string }[];
  readonly agent?: string;
}

type HostPorts = NonNullable<HostOptions['ports']>;

/** One call of a port. A repetition with the same key after a crash is the same call. */
interface Made {
  readonly instance: string;
  readonly port: string;
  readonly message: string | undefined;
  times: number;
}

/** The model and the agents of all processes. Owns the record of all calls. */
export class Model {
  trouble: ModelTrouble = soundModel;
  readonly calls = new Map<string, Made>();
  readonly #chance: Chance;
  readonly #scheduler: Scheduler;
  readonly #trace: Trace;
  readonly #stored: StoredState;
  readonly #memory: ReturnType<typeof memoryPorts>;

  constructor(scheduler: Scheduler, chance: Chance, trace: Trace, stored: StoredState) {
    this.#scheduler = scheduler;
    this.#chance = chance;
    this.#trace = trace;
    this.#stored = stored;
    const world = { now: () => scheduler.now, random: () => 0, uuid: () => '' };
    this.#memory = memoryPorts({ clock: { world } });
  }

  /**
   * @param isOwner whether the process owns the store. Another process may only repeat stored calls.
   * @param reach called where the process may be killed
   */
  portsOf(
    process: SimulatedProcess,
    isOwner: () => boolean,
    reach: (point: string) => void,
  ): HostPorts {
    const ask =
      <Output>(port: string, answer: (input: Call, call: PortCall) => Output) =>
      (input: Call, call: PortCall): Promise<Output> => {
        const { signal } = call;
        reach('call');
        if (process.hasEnded) return new Promise(() => {});
        this.#record(port, input, isOwner());
        return process
          .await(this.#answer(port, input, signal, () => answer(input, call)))
          .then((output) => {
            reach('answer');
            return output;
          });
      };
    const { forget, memoriesOf } = this.#memory;
    const ports = {
      forget,
      memoriesOf,
      reply: ask('reply', ({ message }) => replyTo(message)),
      choose: ask('choose', ({ options = [] }) => ({
        option: this.#chance.of(options).id,
        usage,
      })),
      extract: ask('extract', () => ({ value: {}, usage })),
      think: ask('think', () => ({ text: 'Perhaps.', usage })),
      runAgent: ask('runAgent', ({ key }) => ({ result: { key }, usage })),
      callTool: ask('callTool', ({ key }) => ({ result: { key }, usage })),
      recall: ask('recall', (input, call) => this.#memory.recall(input as never, call)),
      remember: ask('remember', (input, call) => this.#memory.remember(input as never, call)),
    };
    return ports as unknown as HostPorts;
  }

  #record(port: string, { key, message }: Call, isOwner: boolean): void {
    if (isOwner) this.#stored.checkCall(port, key);
    const made = this.calls.get(key);
    if (made) made.times += 1;
    else
      this.calls.set(key, {
        instance: this.#stored.callerOf(key) ?? 'nobody',
        port,
        message,
        times: 1,
      });
    this.#trace.note('model', `${port} ${key}${made ? `, time ${made.times}` : ''}`);
  }

  async #answer<Output>(
    port: string,
    { key }: Call,
    signal: AbortSignal,
    answer: () => Output,
  ): Promise<Output> {
    const { failures, silences, answerMs } = this.trouble;
    const luck = this.#chance.next();
    // A silent model also ignores the abort of a call.
    if (luck < silences) return new Promise(() => {});
    await this.#scheduler.sleep(this.#chance.next() * answerMs);
    if (signal.aborted) throw signal.reason;
    if (luck < silences + failures) {
      this.#trace.note('model', `fails ${key}`);
      throw new PortError('port/failed', port as never, 'The model is not available.');
    }
    return answer();
  }
}

/** Each answer costs one token, so the sum of tokens is the number of calls. */
const usage = { inputTokens: 1 };

/** Answers a message. When its last line ends in `bye`, the answer ends the conversation. */
function replyTo(message: string | undefined) {
  if (message === undefined) return { text: 'hello', toolCalls: [], usage };
  const isOver = message.endsWith('bye');
  const end = { name: 'end_conversation', arguments: { reason: 'The contact has said goodbye.' } };
  return { text: `re: ${message}`, toolCalls: isOver ? [end] : [], usage };
}
