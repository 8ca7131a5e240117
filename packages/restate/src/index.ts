export type { HandlerOptions, RestateHostOptions } from './options.ts';
export { restateHost } from './restate-host.ts';
export { urlOf } from './restate/handler-server.ts';
export { hasHandlers, namespacesServedAt } from './restate/handler-server.ts';
