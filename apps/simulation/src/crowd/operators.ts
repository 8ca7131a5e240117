import type { Ledger } from './ledger.ts';
import { hourMs, minuteMs, type Requests } from './requests.ts';

/** People who watch the host. One is always on duty and resumes instances that wait for a person. The others interfere. */
export class Operators {
  readonly #requests: Requests;
  readonly #ledger: Ledger;
  #interventions = 0;

  constructor(requests: Requests, ledger: Ledger) {
    this.#requests = requests;
    this.#ledger = ledger;
  }

  /** Resumes instances that are paused, set aside or need a person, for as long as the simulation lasts. */
  async keepWatch(): Promise<never> {
    for (;;) {
      await this.#requests.pause(10 * minuteMs, 2 * hourMs);
      for (const waiting of [
        { state: 'NEEDS_HUMAN_INTERVENTION' },
        { state: 'PAUSED' },
        { queue: 'setAside' },
      ] as const) {
        const page = await this.#requests.once((host) => host.list(waiting, { limit: 100 }));
        for (const { id } of page?.items ?? []) {
          await this.#requests.once((host) => host.resume(id));
        }
      }
    }
  }

  /** Performs a random action on a random instance. */
  async interfere(): Promise<void> {
    const { chance } = this.#requests;
    const page = await this.#requests.once((host) => host.list({ ended: false }, { limit: 100 }));
    const instances = page?.items ?? [];
    if (instances.length === 0) return;
    const { id } = chance.of(instances);
    const luck = chance.next();
    if (luck < 0.4) await this.#requests.once((host) => host.pause(id));
    else if (luck < 0.6) await this.#requests.once((host) => host.resume(id));
    else if (luck < 0.8) await this.#writeByHand(id);
    else {
      this.#ledger.cancelled.add(id);
      await this.#requests.once((host) => host.cancel(id, 'An operator was in the mood.'));
    }
  }

  async #writeByHand(instance: string): Promise<void> {
    this.#interventions += 1;
    const text = `by hand ${this.#interventions}`;
    const answer = await this.#requests.once((host) => host.intervene(instance, text));
    if (answer?.accepted) this.#ledger.byHand.push({ instance, text });
  }
}
