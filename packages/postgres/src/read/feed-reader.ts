import type { FeedEntry, FeedPage, FeedRequest } from '@dramaturg/host/store';
import type { Database, Row } from '../connection/database.ts';
import { nameOf, storedName } from '../names.ts';

interface EntryRow extends Row {
  readonly feed: string;
  readonly last: number;
  /** Null in the only row of an empty page. */
  readonly position: number | null;
  readonly id: string;
  readonly kind: string;
  readonly from: number;
  readonly lines: number;
}

/** Reads the feed with one statement, and so as it is at one instant. */
export async function readFeed(
  database: Database,
  { after, limit, contact }: FeedRequest,
): Promise<FeedPage> {
  const ofContact = contact === undefined ? '' : 'AND r.contact = $3';
  const rows = await database.read<EntryRow>(
    `SELECT feed, last_position AS last, entry.*
     FROM {schema}.progress LEFT JOIN (
       SELECT l.position, r.id, r.kind, l.first AS "from", l.count AS lines
       FROM {schema}.lines l JOIN {schema}.records r ON r.number = l.record
       WHERE l.kind = 'journal' AND l.position > $1::bigint AND r.damage IS NULL ${ofContact}
       ORDER BY l.position LIMIT $2::bigint
     ) entry ON true ORDER BY position`,
    [after, limit, ...(contact === undefined ? [] : [storedName(contact)])],
  );
  const entries = rows.flatMap(({ position, id, kind, from, lines }): FeedEntry[] =>
    position === null ? [] : [{ position, id: nameOf(id), kind: nameOf(kind), from, lines }],
  );
  return { feed: rows[0]!.feed, last: rows[0]!.last, entries };
}
