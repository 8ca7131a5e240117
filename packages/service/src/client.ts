/** Exports for clients of a service. The server is not loaded. */
export { actsCsv } from './acts-csv.ts';
export { type ServiceClient, serviceClient } from './client/client.ts';
export { type Connection, socketConnection, urlConnection } from './client/client.ts';
export { type Events } from './client/client.ts';
export {
  EventRefusedError,
  isFailureOfHost,
  problemIn,
  RemoteError,
  RequestError,
  UnreachableError,
} from './failure.ts';
export {
  type OperationName,
  type Operations,
  operations,
  type ReadOperations,
  type Requests,
} from './operations.ts';
export {
  readOperations,
  type ServedOperations,
  servedOperations,
} from './operations/in-process.ts';
export type { Operation, ServedHost } from './operations/operation.ts';
export type { DefinitionSummary, MessageOrder, StartOrder } from './operations/starting.ts';
export { type Problem } from './problem.ts';
export type { DefinitionFile } from './wire/fields.ts';
