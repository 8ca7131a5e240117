/** What a caller of a tool gives besides the arguments. */
export interface McpUse {
  /** The idempotency key. Servers get it as `_meta["dramaturg/idempotency-key"]`. */
  readonly key: string;
  /** Cancels the call. The server is notified. */
  readonly signal: AbortSignal;
  readonly instance?: string | undefined;
  /** The trace of the call. Servers get it as `_meta.traceparent`. */
  readonly traceparent?: (() => Promise<string | undefined>) | undefined;
  readonly heartbeat?: (() => void) | undefined;
}
