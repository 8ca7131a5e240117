export { runCommand, UsageError, wholeNumber } from './app-command.ts';
export { startBucket, whyNoBucket } from './bucket.ts';
export { Collector, type CollectorBehaviour } from './collector.ts';
export { chromiumProgram, sharedChromium, whyNoChromium } from './chromium.ts';
export { freePort } from './free-port.ts';
export { PostgresServer, type PostgresOptions, sharedPostgres, whyNoPostgres } from './postgres.ts';
export {
  RestateServer,
  type RestateOptions,
  restateProgram,
  sharedRestate,
  whyNoRestate,
} from './restate.ts';
export { ProgressLine } from './progress-line.ts';
export { RestateCluster, type ClusterOptions } from './restate-cluster.ts';
export { ServerError } from './server-process.ts';
export type { ServerProcess } from './server-process.ts';
export {
  type BlackholeOptions,
  type Direction,
  TcpProxy,
  type TcpProxyOptions,
} from './tcp-proxy.ts';
