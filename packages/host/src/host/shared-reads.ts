import type { FeedStore, NewsReader } from './recent-writes.ts';

/** More answers than this are not kept: subscribers that read at different places share nothing. */
const answersMax = 64;

/**
 * Reads of a store that subscribers share. Those that have read everything ask for the same after each write, so a thousand of them
 * cost the store one read.
 */
export class SharedReads implements NewsReader {
  readonly #store: FeedStore;
  readonly #recent: Pick<NewsReader, 'news' | 'journal'>;
  readonly #answers = new Map<string, Promise<unknown>>();

  /** @param recent answers from memory what it can */
  constructor(store: FeedStore, recent: Pick<NewsReader, 'news' | 'journal'>) {
    this.#store = store;
    this.#recent = recent;
  }

  readonly read: NewsReader['read'] = (id) =>
    this.#shared(['read', id], () => this.#store.read(id));

  readonly journal: NewsReader['journal'] = (id, range) =>
    this.#shared(['journal', id, range], () => this.#recent.journal(id, range));

  readonly transcript: NewsReader['transcript'] = (id, range) =>
    this.#shared(['transcript', id, range], () => this.#store.transcript(id, range));

  readonly feed: NewsReader['feed'] = (request) =>
    this.#shared(['feed', request], () => this.#store.feed(request));

  readonly news: NewsReader['news'] = (request) =>
    this.#shared(['news', request], () => this.#recent.news(request));

  /** Forgets all answers: the store has changed. */
  renew(): void {
    this.#answers.clear();
  }

  #shared<Answer>(question: readonly unknown[], ask: () => Promise<Answer>): Promise<Answer> {
    const key = JSON.stringify(question);
    const known = this.#answers.get(key) as Promise<Answer> | undefined;
    if (known !== undefined) return known;
    const answer = ask();
    if (this.#answers.size === answersMax) this.#answers.clear();
    this.#answers.set(key, answer);
    return answer;
  }
}
