import type { Json } from '@dramaturg/compiler';
import {
  type Committed,
  HostError,
  type LineRange,
  type NewRecord,
  type Page,
  type RecordSummary,
  StoreError,
  type StoreRecord,
} from '@dramaturg/host';
import { isInstanceId } from '@dramaturg/host/engine';
import type { LineKind } from '../instance/state-layout.ts';
import type { ServiceNames } from '../names.ts';
import type { Ingress } from '../restate/ingress.ts';

/** Reads what Restate stores of a namespace, as a store. */
export class RestateReader {
  readonly #ingress: Ingress;
  readonly #names: ServiceNames;

  constructor(ingress: Ingress, names: ServiceNames) {
    this.#ingress = ingress;
    this.#names = names;
  }

  async read(id: string): Promise<StoreRecord | undefined> {
    const service = isInstanceId(id) ? this.#names.instance : this.#names.record;
    try {
      const target = { service, key: id, handler: 'read' };
      return (await this.#ingress.call<StoreRecord | null>(target, null)) ?? undefined;
    } catch (error) {
      if (error instanceof HostError && error.code === 'host/unknown-instance') return undefined;
      throw error;
    }
  }

  async create(record: NewRecord): Promise<Committed> {
    const target = { service: this.#names.record, key: record.id, handler: 'create' };
    return this.#ingress.call(target, record);
  }

  async list(): Promise<Page<RecordSummary>> {
    return { items: [] };
  }

  async journal(id: string, range: LineRange): Promise<readonly Json[]> {
    return this.#lines(id, 'journal', range);
  }

  async transcript(id: string, range: LineRange): Promise<readonly Json[]> {
    return this.#lines(id, 'transcript', range);
  }

  async #lines(id: string, kind: LineKind, range: LineRange): Promise<readonly Json[]> {
    const target = { service: this.#names.instance, key: id, handler: 'lines' };
    try {
      return await this.#ingress.call(target, { kind, range });
    } catch (error) {
      if (error instanceof HostError && error.code === 'host/unknown-instance')
        throw new StoreError('store/unknown', `There is no record ${JSON.stringify(id)}.`);
      throw error;
    }
  }
}
