import type { Chart, Json } from '@dramaturg/compiler';
import { contactKey } from '../contact.ts';
import type { DefinitionSource } from '../definitions/definition.ts';
import { storedDefinition } from '../definitions/library.ts';
import { HostError } from '../errors.ts';
import type { TranscriptLine } from '../instance/event.ts';
import type { InstanceState } from '../instance/state.ts';
import type {
  DamagedRecord,
  DefinitionVersion,
  LineRange,
  Page,
  PageRequest,
  RecordFilter,
  Store,
} from '../store/contract.ts';
import { isInstanceId } from './record-ids.ts';
import { type InstanceSummary, type InstanceView, summaryOf, viewOf } from './view.ts';

/** Which instances to list. Each field given has to be equal. */
export interface InstanceFilter {
  /** As it may be written. */
  readonly contact?: string;
  readonly state?: string;
  readonly ended?: boolean;
  /** The name of the definition. */
  readonly definition?: string;
}

/** The charts that an instance runs, in the versions that it is pinned to. */
export interface Charts {
  readonly life: StoredChart;
  /** Absent when the life is all there is. */
  readonly flow?: StoredChart;
}

export interface StoredChart {
  readonly ref: DefinitionVersion;
  readonly chart: Chart;
  /** What it was compiled from, where the host was told. */
  readonly source?: DefinitionSource;
}

/** What there is to see of the instances in a store. */
export class InstanceReader {
  protected readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  /** Instances, the oldest first. */
  async list(
    filter: InstanceFilter = {},
    page: PageRequest = { limit: 100 },
  ): Promise<Page<InstanceSummary>> {
    const { contact, state, ended, definition } = filter;
    const wanted: RecordFilter = {
      kind: 'instance',
      ...(contact === undefined ? {} : { contact: contactKey(contact) }),
      ...(state === undefined ? {} : { status: state }),
      ...(ended === undefined ? {} : { ended }),
      ...(definition === undefined ? {} : { definition: { name: definition } }),
    };
    const { items, next } = await this.store.list(wanted, page);
    return { items: items.map(summaryOf), ...(next === undefined ? {} : { next }) };
  }

  /** @throws HostError `host/unknown-instance`; StoreError `store/damaged` */
  async get(id: string): Promise<InstanceView> {
    const record = isInstanceId(id) ? await this.store.read(id) : undefined;
    if (record?.kind !== 'instance') throw unknownInstance(id);
    return viewOf(record);
  }

  /**
   * Lines of the conversation, in order.
   *
   * @throws as `get`
   */
  async transcript(id: string, range: LineRange): Promise<readonly TranscriptLine[]> {
    if (!isInstanceId(id)) throw unknownInstance(id);
    return this.store.transcript(id, range) as Promise<readonly TranscriptLine[]>;
  }

  /** Everything that has happened, in order: `{ at, source, event }`. */
  async journal(id: string, range: LineRange): Promise<readonly Json[]> {
    if (!isInstanceId(id)) throw unknownInstance(id);
    return this.store.journal(id, range);
  }

  /**
   * The charts that an instance runs.
   *
   * @throws as `get`; HostError `host/unknown-definition`
   */
  async charts(id: string): Promise<Charts> {
    const record = isInstanceId(id) ? await this.store.read(id) : undefined;
    if (record?.kind !== 'instance' || !record.definition) throw unknownInstance(id);
    const { life } = record.snapshot as unknown as InstanceState;
    const { definition } = record;
    const isOwn =
      life.definition.name === definition.name && life.definition.version === definition.version;
    return {
      life: await storedDefinition(this.store, life.definition),
      ...(isOwn ? {} : { flow: await storedDefinition(this.store, definition) }),
    };
  }

  /** Records that cannot be read and were set aside; all others are served. */
  damaged(): Promise<readonly DamagedRecord[]> {
    return this.store.damaged();
  }

  /** Gives the store up. */
  async stop(): Promise<void> {
    await this.store.close();
  }
}

export function unknownInstance(id: string): HostError {
  return new HostError('host/unknown-instance', `There is no instance ${JSON.stringify(id)}.`);
}
