/** Limits of requests. docs/access.md#limits */
export interface AccessLimits {
  /** Bytes of a body. */
  readonly bodyBytes: number;
  /** Milliseconds within which the body must arrive. */
  readonly bodyTimeoutMs: number;
  /** Requests of one token in a minute. All of them may come at once. */
  readonly requestsPerMinute: number;
  /** Open streams of one token at the same time. */
  readonly streams: number;
  /** Requests with unknown tokens in a minute, for one address. */
  readonly failuresPerMinute: number;
  /** Milliseconds after which the token of an open stream is checked again. */
  readonly recheckStreamsMs: number;
}

export const defaultLimits: AccessLimits = {
  bodyBytes: 1_000_000,
  bodyTimeoutMs: 10_000,
  requestsPerMinute: 6_000,
  streams: 100,
  failuresPerMinute: 30,
  recheckStreamsMs: 5_000,
};

/** Connections of one server at the same time: `server.maxConnections`. */
export const connectionsMax = 10_000;

/**
 * The options of `createServer` in `node:http` that bound what a client can hold without sending a complete request. With
 * `@hono/node-server`: `createAdaptorServer({ fetch, serverOptions })`.
 */
export const serverOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Proxies close idle connections after 60 seconds at most. When the server closes one first, they may answer 502.
  keepAliveTimeout: 75_000,
  /** The interval at which the two timeouts above are checked, in milliseconds. */
  connectionsCheckingInterval: 1_000,
  /** Bytes of all headers. Longer headers are answered with 431. */
  maxHeaderSize: 16_384,
  requireHostHeader: true,
} as const;
