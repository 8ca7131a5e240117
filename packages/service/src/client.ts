/** What a client of a service needs: loaded without the server. */
export { actsCsv } from './acts-csv.ts';
export { ServiceClient } from './client/client.ts';
export { type Connection, socketConnection, urlConnection } from './client/connection.ts';
export { type Events } from './client/events.ts';
export {
  EventRefusedError,
  isFailureOfHost,
  problemIn,
  RemoteError,
  RequestError,
  UnreachableError,
} from './failure.ts';
export type {
  DefinitionSummary,
  Operations,
  ReadOperations,
  ServedOperations,
} from './operations.ts';
export { type Problem } from './problem.ts';
export type { DefinitionFile, HostStatus, MessageOrder, StartOrder } from './wire/wire.ts';
