import type {
  CountFilter,
  FeedRequest,
  LineRange,
  PageRequest,
  RecordFilter,
  Store,
  StoreLocation,
} from '../../src/store/contract.ts';

/** A store that is closed and reopened before every read, as after a restart. */
export function opensAgain(place: StoreLocation): StoreLocation {
  return {
    read: () => place.read(),
    open: async (owner) => new OpenedAgain(place, owner, await place.open(owner)).asStore(),
  };
}

class OpenedAgain {
  readonly #place: StoreLocation;
  readonly #owner: string;
  #store: Store;
  /** The last read. Reads run one after another, so that none runs while the store is reopened. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(place: StoreLocation, owner: string, store: Store) {
    this.#place = place;
    this.#owner = owner;
    this.#store = store;
  }

  asStore(): Store {
    const write =
      <Args, Answer>(call: (store: Store, args: Args) => Promise<Answer>) =>
      (args: Args) =>
        call(this.#store, args);
    const read = <Args extends readonly unknown[], Answer>(
      call: (store: Store, ...args: Args) => Promise<Answer>,
    ) => {
      return (...args: Args) => this.#afterOpening(() => call(this.#store, ...args));
    };
    return {
      ownership: this.#store.ownership,
      create: write((store, record) => store.create(record)),
      commit: write((store, change) => store.commit(change)),
      acknowledge: write((store, receipt) => store.acknowledge(receipt)),
      read: read((store, id: string) => store.read(id)),
      list: read((store, filter: RecordFilter, page: PageRequest) => store.list(filter, page)),
      count: read((store, filter: CountFilter) => store.count(filter)),
      due: read((store, before: number, limit: number) => store.due(before, limit)),
      pending: read((store, page: PageRequest) => store.pending(page)),
      journal: read((store, id: string, range: LineRange) => store.journal(id, range)),
      transcript: read((store, id: string, range: LineRange) => store.transcript(id, range)),
      feed: read((store, request: FeedRequest) => store.feed(request)),
      damaged: read((store) => store.damaged()),
      delete: write((store, id) => store.delete(id)),
      compact: read((store) => store.compact()),
      backup: read((store, target: string) => store.backup(target)),
      verify: read((store, onProgress?: Parameters<Store['verify']>[0]) =>
        store.verify(onProgress),
      ),
      size: read((store) => store.size()),
      close: () => {
        this.#isClosed = true;
        return this.#store.close();
      },
    };
  }

  #afterOpening<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    const answer = this.#last.then(async () => {
      if (!this.#isClosed) {
        await this.#store.close();
        this.#store = await this.#place.open(this.#owner);
      }
      return call();
    });
    this.#last = answer.catch(() => undefined);
    return answer;
  }
}
