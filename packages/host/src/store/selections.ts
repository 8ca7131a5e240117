/** A record matches when each field that is present has the same value in the record. */
export interface RecordFilter {
  readonly kind?: string;
  readonly contact?: string;
  readonly parent?: string;
  readonly status?: string;
  readonly ended?: boolean;
  /** Whether the record has open questions. */
  readonly asks?: boolean;
  /** The queue of people's work. */
  readonly queue?: string;
  readonly owner?: string;
  /** A person has acted on the record at this time or later, in milliseconds since 1970 UTC. */
  readonly actedSince?: number;
  /** Without `version`, all versions of the definition match. */
  readonly definition?: { readonly name: string; readonly version?: string };
}

/** Filters that stores can count with an index alone. */
export type CountFilter = Pick<RecordFilter, 'queue'> | Pick<RecordFilter, 'kind' | 'ended'>;

/** Selects a page of a list. */
export interface PageRequest {
  /** `next` of the previous page; absent for the first page. */
  readonly after?: string;
  /** The maximum number of items, 1 to 10,000. */
  readonly limit: number;
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page, in a form that only the store reads; absent from the last page. */
  readonly next?: string;
}

/** Selects lines of a journal or transcript. */
export interface LineRange {
  /** The index of the first line to return, from 0. */
  readonly from: number;
  /** The maximum number of lines, 1 to 10,000. */
  readonly limit: number;
}
