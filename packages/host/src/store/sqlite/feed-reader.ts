import type { Database } from 'better-sqlite3';
import type { FeedEntry, FeedPage, FeedRequest } from '../feed.ts';
import { lastPosition } from './rows.ts';

/** Reads the feed: the rows of journal lines in the order of their commits. */
export class FeedReader {
  readonly #statements;

  constructor(database: Database) {
    const columns =
      'lines.position, records.id, records.kind, lines.first AS "from", lines.count AS lines';
    const isWanted =
      "lines.kind = 'journal' AND lines.position > (SELECT ?) AND damage IS NULL ORDER BY position LIMIT (SELECT ?)";
    this.#statements = {
      state: database.prepare(`SELECT name AS feed, (${lastPosition}) AS last FROM feed`),
      // The order of the tables is the order of the search.
      all: database.prepare(
        `SELECT ${columns} FROM lines CROSS JOIN records ON number = lines.record WHERE ${isWanted}`,
      ),
      ofContact: database.prepare(
        `SELECT ${columns} FROM records CROSS JOIN lines INDEXED BY lines_by_first ON lines.record = number
         WHERE contact = (SELECT ?) AND ${isWanted}`,
      ),
    };
  }

  read({ after, limit, contact }: FeedRequest): FeedPage {
    const { all, ofContact, state } = this.#statements;
    const entries =
      contact === undefined ? all.all(after, limit) : ofContact.all(contact, after, limit);
    const { feed, last } = state.get() as Pick<FeedPage, 'feed' | 'last'>;
    return { feed, last, entries: entries as FeedEntry[] };
  }
}
