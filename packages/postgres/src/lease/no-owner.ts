import type { Database, Row } from '../connection/database.ts';
import { leaseStateOf, storeOwned } from './holder.ts';
import { leaseStatements } from './lease-tables.ts';

/** @throws `store/owned` when a living owner has the store */
export async function requireNoOwner(database: Database): Promise<void> {
  const { schema } = database.place;
  const [row] = await database.scan<Row>(leaseStatements(schema).read);
  if (row === undefined) return;
  const state = leaseStateOf(row);
  if (state.remainingMs > 0) throw storeOwned(schema, state);
}
