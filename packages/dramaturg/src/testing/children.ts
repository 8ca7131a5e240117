import { didYouMean, quotedList } from '@dramaturg/compiler/text';
import type { InstanceSummary, InstanceView } from '@dramaturg/host/browser';
import type { Host } from '../host.ts';
import { StepError } from './step-error.ts';

/** The instances that run as agents on the host of a test. All of them descend from the instance of the test. */
export class Children {
  readonly #host: Host;
  readonly #parent: string;
  readonly #arePossible: boolean;

  /** @param arePossible false without other definitions: then nothing is looked up */
  constructor(host: Host, parent: string, arePossible: boolean) {
    this.#host = host;
    this.#parent = parent;
    this.#arePossible = arePossible;
  }

  /** In the order in which they were started. */
  async all(): Promise<readonly InstanceSummary[]> {
    if (!this.#arePossible) return [];
    const found: InstanceSummary[] = [];
    for (let after: string | undefined; ;) {
      const { items, next } = await this.#host.list({}, { limit: 500, ...(after && { after }) });
      found.push(...items.filter(({ id }) => id !== this.#parent));
      if (next === undefined) return found;
      after = next;
    }
  }

  /** The children that have not ended. */
  async views(): Promise<readonly InstanceView[]> {
    const open = (await this.all()).filter(({ ended }) => !ended);
    return Promise.all(open.map(({ id }) => this.#host.get(id)));
  }

  /**
   * The first open child of a definition.
   *
   * @throws StepError when there is none
   */
  async named(name: string): Promise<string> {
    const open = (await this.all()).filter(({ ended }) => !ended);
    const found = open.find(({ definition }) => definition.name === name);
    if (found) return found.id;
    const names = [...new Set(open.map(({ definition }) => definition.name))];
    throw new StepError(
      `No agent "${name}" runs now.`,
      didYouMean(name, names) ??
        (names.length === 0
          ? 'Look at the state in the step before: no definition runs as an agent.'
          : `These definitions run as agents: ${quotedList(names)}.`),
    );
  }
}
