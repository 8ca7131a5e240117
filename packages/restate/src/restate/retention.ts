/**
 * Options of all objects. By default Restate keeps what a handler was given and has answered for a day, and that can be a whole
 * conversation, kept after its erasure. Repeated messages are recognised by the instances themselves.
 */
export const nothingRetained = { journalRetention: 0, idempotencyRetention: 0 } as const;
