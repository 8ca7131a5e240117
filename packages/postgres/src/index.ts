export type { Holder } from './lease/holder.ts';
export type { LeaseTimes } from './lease/holder.ts';
export type { StandbyOptions } from './postgres-store.ts';
export { postgresStore, type PostgresStoreOptions } from './postgres-store.ts';
