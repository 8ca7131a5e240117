export type { HandlerOptions, RestateHostOptions } from './options.ts';
export { restateHost } from './restate-host.ts';
