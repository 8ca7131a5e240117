export * from './access/index.ts';
export type {
  DefinitionFile,
  DefinitionSummary,
  MessageOrder,
  Operations,
  Problem,
  ReadOperations,
  ServedOperations,
  StartOrder,
} from './client.ts';
export { frontEndRoutes } from './front-ends/routes.ts';
export { openApi } from './openapi/document.ts';
export { eventsRoute, type OperationName, operations } from './operations.ts';
export type { Operation } from './operations/operation.ts';
export { type Access, type ServiceEnv } from './server/app.ts';
export type { ChannelHandlers, ChannelsOf } from './server/service.ts';
export { serverOf, serviceApp, type ServiceOptions, waitingApp } from './server/service.ts';
